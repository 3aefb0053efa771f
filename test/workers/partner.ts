import { randomUUID } from 'node:crypto'
import { sign, soundToken, type TokenParts } from '../../src/certify/token.ts'
import { DEV_PARTNER, type PartnerAccess } from '../../src/cli/dev-partners.ts'
import type { Token } from '../../src/money/token.ts'
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
