import { randomUUID } from 'node:crypto'
import { sign, soundToken, type TokenParts } from '../../src/certify/token.ts'
import { DEV_PARTNER, type PartnerAccess } from '../../src/cli/dev-partners.ts'
import type { Token } from '../../src/money/token.ts'
import { vi } from 'vitest'
import { call, type Answer } from './support.ts'

/** A player, as a partner knows one. */
type Player = { wallet: string }

/** A partner's platform, whose server calls the bridge. */
export class Platform {
  readonly #access: PartnerAccess

  constructor(access: PartnerAccess = DEV_PARTNER) {
    this.#access = access
  }

  balance(player: Player, currency: Token = 'USDG'): Promise<Answer> {
    return this.get(`/api/wallet/balance?playerId=${player.wallet}&currency=${currency}`)
  }

  statement(player: Player, query = ''): Promise<Answer> {
    return this.get(`/api/wallet/statement?playerId=${player.wallet}&currency=USDG${query}`)
  }

  /** @param amount whole tokens, as JSON text */
  transact(player: Player, amount: string, fields: object = {}): Promise<Answer> {
    const body = JSON.stringify({
      playerId: player.wallet,
      currency: 'USDG',
      partnerTransactionId: randomUUID(),
      ...fields,
    })
    return this.post('transaction', `${body.slice(0, -1)},"amount":${amount}}`)
  }

  rollBack(player: Player, originalTransactionId: string, fields: object = {}): Promise<Answer> {
    const ids = { partnerTransactionId: randomUUID(), originalTransactionId }
    const body = { playerId: player.wallet, currency: 'USDG', ...ids, ...fields }
    return this.post('rollback', JSON.stringify(body))
  }

  get(path: string, spoil?: (token: TokenParts) => TokenParts): Promise<Answer> {
    return call(path, { headers: this.#headers(null, spoil) })
  }

  post(path: string, body: string, spoil?: (token: TokenParts) => TokenParts): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...this.#headers(body, spoil) }
    return call(`/api/wallet/${path}`, { method: 'POST', headers, body })
  }

  #headers(body: string | null, spoil: (token: TokenParts) => TokenParts = (token) => token) {
    return { authorization: `Bearer ${sign(spoil(soundToken(this.#access, body)))}` }
  }
}

/** A call between objects that does its work and then loses the answer, once. */
export function loseAnswer<T extends object>(prototype: T, method: keyof T & string): void {
  const original = Reflect.get(prototype, method) as (...args: unknown[]) => Promise<unknown>
  vi.spyOn(prototype as Record<string, () => unknown>, method).mockImplementationOnce(
    async function (this: T, ...args: unknown[]) {
      await original.apply(this, args)
      throw new Error('the answer was lost')
    },
  )
}

/** A call between objects that never arrives, once. */
export function loseCall<T extends object>(prototype: T, method: keyof T & string): void {
  vi.spyOn(prototype as Record<string, () => unknown>, method).mockImplementationOnce(() => {
    throw new Error('the call was lost')
  })
}

/** Credits a player ten thousand dollars at a time until the limit says no: what they got, in whole dollars. */
export async function creditAll(platform: Platform, player: Player): Promise<number> {
  let credited = 0
  while ((await platform.transact(player, '10000')).status === 200) credited += 10_000
  return credited
}

/** What the demo partner may credit in a day, in whole dollars: see wrangler.toml. */
export const DAY_USDG = 100_000
