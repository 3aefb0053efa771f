import type { Hex } from 'viem'
import { permissionHash, permissionScope } from '../../../src/chain/permission.ts'
import { DEV_PARTNER } from '../../../src/cli/shared/dev-partners.ts'
import type { Limit } from '../../../src/protection/limit.ts'
import type { Protection } from '../../../src/protection/protection.ts'
import type { ShownProtection } from '../../../src/protection/shown.ts'
import { CHAIN } from '../chain/addresses.ts'
import type { ShownPermission } from '../invariants/standing.ts'
import type { World } from '../world/world.ts'
import { type Answer, ask, insist, numbered, operate } from './client.ts'
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
      case 'readmit': {
        const answer = await this.#post(name, 'limits', 'remove', { kind: 'exclusion' })
        this.#expect(answer, ({ isExcludedUntilAsked }) => !isExcludedUntilAsked)
        return
      }
      case 'remove':
      case 'confirm': {
        const answer = await this.#post(name, 'limits', operation, limit)
        const isRemoval = operation === 'remove'
        this.#expect(answer, ({ limits }) =>
          limits
            .filter((each) => each.kind === kind && each.window === window)
            .every(({ pending }) => (isRemoval ? pending?.amountWei === null : pending === null)),
        )
        return
      }
      case 'grant':
        return this.#grant(name)
      case 'revoke':
        return this.#revoke(name)
      default:
        await this.#read(name, 'limits')
    }
  }

  #expect(answer: Answer | null, isMade: (protection: Protection) => boolean): void {
    if (answer?.status === 200)
      this.#world.standings.checkChange(this.#wallet, isMade, answer.sentAt)
  }

  #tell(limit: ToldLimit['limit'], mostWei: bigint): void {
    this.told.push({ wallet: this.#wallet, at: this.#world.scheduler.now, limit, mostWei })
  }

  async #revoke(name: string): Promise<void> {
    const fields = { partner: DEV_PARTNER.id, token: 'USDG' }
    const answer = await this.#post(name, 'wallet/permission', 'revoke', fields)
    const left = answer?.json['permission'] as ShownPermission | undefined
    if (left && (left.maxPerDayWei !== '0' || left.expiresAt !== null))
      this.#world.violate(`${name}: the permission is still there after its end`)
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
    const granted = await this.#post(name, 'wallet/permission', 'grant', fields)
    const shown = (granted?.json['permission'] ?? fields) as typeof fields
    if (shown.maxPerDayWei !== fields.maxPerDayWei || shown.expiresAt !== expiresAt)
      this.#world.violate(`${name}: another permission was granted than asked for`)
  }

  async #read(name: string, path: string) {
    const query = new URLSearchParams(this.#credentials())
    const action = path === 'limits' ? 'limits' : 'permissions'
    const sent = { method: 'GET', path: `/api/${path}?${query.toString()}`, action } as const
    return this.#checked(await ask(this.#world, name, sent))
  }

  /** Compares what an answer shows of permissions or limits with what the ledger has. */
  #checked(answer: Answer | null): Answer | null {
    if (answer?.status !== 200) return answer
    const { json, sentAt } = answer
    const { standings } = this.#world
    const { permission, permissions = permission ? [permission] : [], limits } = json
    for (const each of permissions as ShownPermission[])
      standings.checkPermission(this.#wallet, each, sentAt)
    if (limits) standings.checkProtection(this.#wallet, json as unknown as ShownProtection, sentAt)
    return answer
  }

  async #post(name: string, path: string, action: string, fields: object) {
    const body = JSON.stringify({ action, ...fields, ...this.#credentials() })
    const sent = {
      method: 'POST',
      path: `/api/${path}`,
      action: `${path.replace('wallet/', '')} ${action}`,
      body,
    } as const
    const tries = this.#world.random.between(`${name} tries`, 1, MAX_TRIES)
    return this.#checked(await insist(this.#world, name, sent, tries))
  }

  #credentials() {
    return credentialsOf(this.#world, this.#wallet)
  }
}
