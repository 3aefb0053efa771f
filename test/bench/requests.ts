import { randomUUID } from 'node:crypto'
import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import type { LoadRequest } from './load.ts'
import type { Player } from './players.ts'

/** The round has room for a single bet in USDG, and for everyone's in ETH. */
export const LIMITS = {
  ETH: {
    min: '1',
    max: '100000000000000',
    maxPayout: `1${'0'.repeat(20)}`,
    maxRoundPayout: `1${'0'.repeat(24)}`,
  },
  // A bet may win a quarter of what is left: 800 / 4 / 2.00 is one bet, and then none fits.
  USDG: { min: '100', max: '100', maxPayout: '800', maxRoundPayout: '800' },
}

export function state({ wallet, authSig }: Player): LoadRequest {
  return { path: `/api/crash?wallet=${wallet}&authSig=${authSig}` }
}

export function fund({ wallet }: Player, token: 'ETH' | 'USDG'): LoadRequest {
  return post('/api/dev/faucet', { wallet, token, amountWei: '1000000000000000' })
}

/** A bet names its round, so that it never lands in a later one and its repetition changes nothing. */
export function bet(roundId: number): (player: Player) => LoadRequest {
  const stake = { token: 'ETH', amountWei: '50000000000000', roundId }
  return ({ wallet, authSig }) => post('/api/crash', { action: 'bet', wallet, authSig, ...stake })
}

/**
 * A bet in USDG. The round refuses all but the first, and their ledgers refund them. That warms the
 * ledgers up like an earlier round, without waiting for one to end. See {@link LIMITS}.
 */
export function betInUsdg(roundId: number): (player: Player) => LoadRequest {
  const stake = { token: 'USDG', amountWei: LIMITS.USDG.min, roundId }
  return ({ wallet, authSig }) => post('/api/crash', { action: 'bet', wallet, authSig, ...stake })
}

export function cashOut(roundId: number): (player: Player) => LoadRequest {
  return ({ wallet, authSig }) =>
    post('/api/crash', { action: 'cashout', wallet, authSig, roundId })
}

export function play(nonce: number): (player: Player) => LoadRequest {
  const stake = { game: 'limbo', params: { target: 2 }, token: 'ETH', amountWei: '50000000000000' }
  return ({ wallet, authSig }) =>
    post('/api/entropy', { action: 'play', wallet, authSig, ...stake, nonce })
}

export function rpcCall(path: string): LoadRequest {
  return post(path, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
}

export function balance({ wallet }: Player): LoadRequest {
  return { path: `/api/wallet/balance?playerId=${wallet}&currency=ETH`, headers: signed(null) }
}

export function debit({ wallet: playerId }: Player): LoadRequest {
  const fields = { playerId, currency: 'ETH', amount: -1e-18, partnerTransactionId: randomUUID() }
  const request = post('/api/wallet/transaction', fields)
  return { ...request, headers: { ...request.headers, ...signed(request.body ?? '') } }
}

/** Signs a token for one call, right before it is sent, because it lives only for seconds. */
function signed(body: string | null): Record<string, string> {
  return { authorization: `Bearer ${sign(soundToken(DEV_PARTNER, body))}` }
}

function post(path: string, body: object): LoadRequest {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}
