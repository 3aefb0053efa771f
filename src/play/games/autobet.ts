import type { Selection } from '../../games/games.ts'
import { isFailure } from '../api.ts'
import { Autobet } from '../autobet/autobet.ts'
import { signedInWallet } from '../session.ts'
import { deal, desk, playDealt, type Deal } from './desk.ts'

/** Automatic plays. A play is sent again with the same nonce and client seed, so it is the same play. */
export const autobet = new Autobet<Selection, Deal>({
  name: 'plays',
  player: signedInWallet,
  terms: () => desk.value.config?.terms ?? null,
  ready() {
    const { next, isPlaying } = desk.value
    const ticket = next && !isPlaying ? deal() : null
    return ticket && { id: ticket.nonce, ticket }
  },
  async place({ id, choice, token, amountWei, ticket }) {
    const order = { selection: choice, token, amountWei: BigInt(amountWei) }
    const answer = await playDealt(order, ticket)
    if (!answer) return null
    if (isFailure(answer)) return { kind: 'refused', id, code: answer.error.code }
    return { kind: 'settled', id, payoutWei: answer.payout }
  },
})
