import { parseEther, type Hex } from 'viem'
import { now, post, type Player } from '../workers/support.ts'
import { account } from './accounts.ts'
import { transfer } from './payments.ts'

export const PROTOCOL_WALLET = account(7).address
/** The price of one day, in wei. */
export const PRICE = parseEther('0.01')

/** Returns a UTC day, counted from today. */
export const day = (ahead: number) =>
  new Date(now() + ahead * 86_400_000).toISOString().slice(0, 10)

/** Pays for one day by default. */
export function pay(player: Player, fields: object = {}): Promise<Hex> {
  return transfer(player, { to: PROTOCOL_WALLET, value: PRICE, ...fields })
}

/** Asks for tomorrow by default. */
export async function rent(player: Player, txHash: Hex, fields: object = {}) {
  return post('/api/ad-rental', {
    action: 'rent',
    wallet: player.wallet,
    authSig: await player.authSig(),
    txHash,
    date: day(1),
    hours: 24,
    title: 'Play fair',
    imageUrl: 'https://cdn.example.com/banner.png',
    linkUrl: 'https://example.com/',
    ...fields,
  })
}
