import { randomUUID } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { sign, soundToken, type TokenParts } from '../../src/certify/token.ts'
import {
  DEV_PARTNER,
  OTHER_DEV_PARTNER,
  type PartnerAccess,
} from '../../src/cli/shared/dev-partners.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { DebitLimits } from '../../src/ledger/permission.ts'
import type { Token } from '../../src/money/token.ts'
import { call, now, post, type Answer, type Player as StoryPlayer } from './support.ts'

/** A player as identified by a partner. */
type Player = { wallet: string }

/** A player who can sign. */
type Signer = Pick<StoryPlayer, 'wallet' | 'account' | 'authSig'>

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

/** The EIP-712 types, defined independently of the service. */
const PERMISSION = {
  PartnerPermission: [
    { name: 'player', type: 'address' },
    { name: 'partner', type: 'string' },
    { name: 'token', type: 'address' },
    { name: 'maxPerDayWei', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
}

/** The permission that a player intends to sign. */
export interface Wish {
  partner: string
  token: Token
  maxPerDayWei: string
  /** Unix seconds. */
  expiresAt: number
  nonce: number
}

/** The terms that a player permits. */
export async function permissionsOf(player: Signer): Promise<Answer> {
  return call(`/api/wallet/permissions?wallet=${player.wallet}&authSig=${await player.authSig()}`)
}

/** The permission of demo-two in a token. */
export async function permissionOf(player: Signer, token: Token = 'USDG') {
  const { body } = await permissionsOf(player)
  const found: { partner: string; token: string; nonce: number; usedWei: string }[] =
    body.permissions
  return found.find((one) => one.partner === OTHER_DEV_PARTNER.id && one.token === token)
}

/** Permits demo-two a hundred dollars a day for an hour, unless the terms say otherwise. */
export async function grant(player: Signer, wish: Partial<Wish> = {}): Promise<Answer> {
  const { token = 'USDG' } = wish
  const whole: Wish = {
    partner: OTHER_DEV_PARTNER.id,
    token,
    maxPerDayWei: '100000000',
    expiresAt: Math.floor(now() / 1000) + 3_600,
    nonce: (await permissionOf(player, token))?.nonce ?? 0,
    ...wish,
  }
  return send(player, 'grant', { ...whole, signature: await signPermission(player, whole) })
}

export function revoke(player: Signer, token: Token = 'USDG'): Promise<Answer> {
  return send(player, 'revoke', { partner: OTHER_DEV_PARTNER.id, token })
}

/** The configured terms for a partner's dollar debits, which a test may change. */
export function debitTermsOf({ id }: PartnerAccess): DebitLimits {
  const partner = loadConfig(env).partners.get(id)
  invariant(partner, `${id} is a partner`)
  return partner.debits.USDG
}

/** The signature of the player's key, for the service's domain. */
export async function signPermission(player: Signer, wish: Wish): Promise<string> {
  const { domain, tokens } = (await permissionsOf(player)).body
  return player.account.signTypedData({
    domain,
    types: PERMISSION,
    primaryType: 'PartnerPermission',
    message: { ...wish, player: player.wallet, token: tokens[wish.token] },
  })
}

/** Sends a call about a permission, unchanged. */
export async function send(player: Signer, action: string, fields: object): Promise<Answer> {
  const body = { action, wallet: player.wallet, authSig: await player.authSig(), ...fields }
  return post('/api/wallet/permission', body)
}

/** Makes one call between objects lose its answer after doing its work. */
export function loseAnswer<T extends object>(prototype: T, method: keyof T & string): void {
  const original = Reflect.get(prototype, method) as (...args: unknown[]) => Promise<unknown>
  vi.spyOn(prototype as Record<string, () => unknown>, method).mockImplementationOnce(
    async function (this: T, ...args: unknown[]) {
      await original.apply(this, args)
      throw new Error('the answer was lost')
    },
  )
}

/** Makes one call between objects never arrive. */
export function loseCall<T extends object>(prototype: T, method: keyof T & string): void {
  vi.spyOn(prototype as Record<string, () => unknown>, method).mockImplementationOnce(() => {
    throw new Error('the call was lost')
  })
}

/** Credits a player ten thousand dollars at a time until the limit refuses, and returns the total in whole dollars. */
export async function creditAll(platform: Platform, player: Player): Promise<number> {
  let credited = 0
  while ((await platform.transact(player, '10000')).status === 200) credited += 10_000
  return credited
}

/** The demo partner's daily credit limit, in whole dollars: see wrangler.toml. */
export const DAY_USDG = 100_000
