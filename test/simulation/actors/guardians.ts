import type { Hex } from 'viem'
import { permissionHash, permissionScope } from '../../../src/chain/permission.ts'
import { DEV_PARTNER } from '../../../src/cli/shared/dev-partners.ts'
import type { Limit } from '../../../src/protection/limit.ts'
import { CHAIN } from '../chain/addresses.ts'
import type { World } from '../world/world.ts'
import { ask, insist, numbered, operate } from './client.ts'
import { credentialsOf, signedBy } from './signers.ts'

const PAUSE_MS = [1_500, 12_000] as const
const MAX_TRIES = 4
const UNIT = 1_000_000n
/** In smallest units: a few bets each. */
const AMOUNTS = [30n, 60n, 100n, 150n].map((amount) => (amount * UNIT).toString())
const KINDS = ['wager', 'wager', 'loss', 'deposit'] as const

const OPERATIONS = ['set', 'set', 'set', 'set', 'remove', 'confirm', 'exclude', 'readmit', 'read']
const OF_PERMISSIONS = ['grant', 'grant', 'grant', 'revoke']

/** A limit or an exclusion that the service has accepted. It holds for a day at least. */
export interface ToldLimit {
  wallet: string
  /** When the answer arrived, in true unix milliseconds. */
  at: number
  /** Null for an exclusion. */
  limit: Pick<Limit, 'kind' | 'window' | 'token'> | null
  mostWei: bigint
}

/** A player who limits what they play for, and what partners may debit. */
export class Guardian {
  readonly told: ToldLimit[] = []
  readonly #world: World
  readonly #wallet: string
  readonly #name: string
  readonly #next: () => string
  readonly #mayExclude: boolean

  constructor(world: World, wallet: string, name: string) {
    this.#world = world
    this.#wallet = wallet
    this.#name = `${name} at the limits`
    this.#next = numbered(this.#name)
    this.#mayExclude = world.random.chance(`${this.#name} may exclude`, 0.3)
  }

  async live(until: number): Promise<void> {
    const { random, traits } = this.#world
    const operations = traits.needsConsent ? [...OPERATIONS, ...OF_PERMISSIONS] : OPERATIONS
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      await this.#operate(name, random.pick(`${name} operation`, operations))
    })
  }

  async #operate(name: string, operation: string): Promise<void> {
    const { random } = this.#world
    const kind = random.pick(`${name} kind`, KINDS)
    const window = random.pick(`${name} window`, ['day', 'day', 'week'] as const)
    const limit = { kind, window, token: 'USDG' } as const
    switch (operation) {
      case 'set': {
        const amountWei = random.pick(`${name} amount`, AMOUNTS)
        const answer = await this.#post(name, 'limits', 'set', { ...limit, amountWei })
        if (answer?.status === 200) this.#tell(limit, BigInt(amountWei))
        return
      }
      case 'exclude': {
        if (!this.#mayExclude) return
        const days = random.pick(`${name} days`, [1, 3, null])
        const answer = await this.#post(name, 'limits', 'exclude', { days })
        if (answer?.status === 200) this.#tell(null, 0n)
        return
      }
      case 'readmit':
        await this.#post(name, 'limits', 'remove', { kind: 'exclusion' })
        return
      case 'remove':
      case 'confirm':
        await this.#post(name, 'limits', operation, limit)
        return
      case 'grant':
        return this.#grant(name)
      case 'revoke':
        await this.#post(name, 'wallet/permission', 'revoke', {
          partner: DEV_PARTNER.id,
          token: 'USDG',
        })
        return
      default:
        await this.#read(name, 'limits')
    }
  }

  #tell(limit: ToldLimit['limit'], mostWei: bigint): void {
    this.told.push({ wallet: this.#wallet, at: this.#world.scheduler.now, limit, mostWei })
  }

  /** Signs a permission for the partner. */
  async #grant(name: string): Promise<void> {
    const { chain, random, scheduler, transitions } = this.#world
    const answer = await this.#read(name, 'wallet/permissions')
    const permissions = (answer?.json['permissions'] ?? []) as {
      partner: string
      token: string
      nonce: number
    }[]
    const known = permissions.find(
      ({ partner, token }) => partner === DEV_PARTNER.id && token === 'USDG',
    )
    if (!known) return
    const lastsS = random.pick(`${name} lasts`, [5, 60, 86_400])
    const expiresAt = Math.floor(scheduler.now / 1000) + lastsS
    transitions.plan(expiresAt * 1000, true)
    const terms = {
      partner: DEV_PARTNER.id,
      token: 'USDG' as const,
      nonce: known.nonce,
      maxPerDayWei: BigInt(random.pick(`${name} amount`, AMOUNTS)),
      expiresAt,
    }
    const vault = chain && { chainId: CHAIN.chainId, address: CHAIN.vault, usdg: CHAIN.usdg }
    const scope = permissionScope({ vault: vault as never, chainId: CHAIN.chainId })
    const hash = permissionHash(scope, this.#wallet as Hex, terms)
    const signature = await signedBy(this.#world, this.#wallet, hash)
    const fields = { ...terms, maxPerDayWei: terms.maxPerDayWei.toString(), signature }
    await this.#post(name, 'wallet/permission', 'grant', fields)
  }

  #read(name: string, path: string) {
    const query = new URLSearchParams(this.#credentials())
    const action = path === 'limits' ? 'limits' : 'permissions'
    return ask(this.#world, name, {
      method: 'GET',
      path: `/api/${path}?${query.toString()}`,
      action,
    })
  }

  #post(name: string, path: string, action: string, fields: object) {
    const body = JSON.stringify({ action, ...fields, ...this.#credentials() })
    const sent = {
      method: 'POST',
      path: `/api/${path}`,
      action: `${path.replace('wallet/', '')} ${action}`,
      body,
    } as const
    const tries = this.#world.random.between(`${name} tries`, 1, MAX_TRIES)
    return insist(this.#world, name, sent, tries)
  }

  #credentials() {
    return credentialsOf(this.#world, this.#wallet)
  }
}
