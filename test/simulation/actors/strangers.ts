import { DEV_PARTNER } from '../../../src/cli/shared/dev-partners.ts'
import { dateOf } from '../../../src/core/utc-day.ts'
import { credentialsOf, STRANGER } from '../wallets.ts'
import type { World } from '../world/world.ts'
import { ask, numbered, operate } from './client.ts'

const PAUSE_MS = [200, 6_000] as const
/** What strangers invent is numbered from here on. No round, play or post of a history is. */
const INVENTED = [1_000_000, 1_000_999] as const

const OPERATIONS = [
  'state',
  'terms',
  'limits',
  'bet',
  'play',
  'mines-open',
  'mines-pick',
  'cashout',
  'disclosure',
  'past-play',
  'lootbox',
  'open',
  'spin',
  'withdraw',
  'set a limit',
  'exclude',
  'permissions',
  'revoke',
  'grant',
  'rent',
  'operate',
  'boxes',
  'reveal',
  'claim',
  'stream',
  'balance',
  'debit',
  'rollback',
] as const

/** The acts that store something for a wallet without chips: its ledger, with its limits or permissions. */
const STORING = ['set a limit', 'exclude', 'revoke']
/** A history has few of them. */
const MAX_STORED = 3
/** The actions that these are in the coverage table. */
const MAY_STORE = ['limits set', 'limits exclude', 'permission revoke']
/** An end of permissions and acts that no history reaches, in unix seconds. */
const FAR_S = 1_900_000_000

/** Nobody's signature, which is checked all the same: the wallet may be a contract. */
const UNSIGNED = `0x${'11'.repeat(65)}`

const NAME = 'eve'
/** The share of strangers who store what may be stored without chips. The others leave no ledger. */
const STORES = 0.4
const IS_INVENTED = /(^|:|e{20})1000\d{3}$/

/** Returns whether nobody but strangers asks for an object of this name. */
export function isStrange(name: string): boolean {
  return name === STRANGER || IS_INVENTED.test(name)
}

/** Returns whether a text names the stranger, or a payment or post that strangers invent. */
export function isAboutStranger(text: string): boolean {
  return text.includes(STRANGER) || text.includes(`/${NAME}/status/`) || /e{20}1000\d{3}/.test(text)
}

/** Returns whether code runs for a stranger's request, given the name of its host. */
export function isForStranger(host: string): boolean {
  return host.includes(`router of ${NAME} `)
}

/** Someone who has paid nothing, and asks for what should make the service store nothing and hardly ask its node. */
export class Stranger {
  requests = 0
  /** How many acts were sent that may store something. */
  stored = 0
  readonly #world: World
  readonly #next = numbered(NAME)

  readonly #mayStore: boolean

  constructor(world: World) {
    this.#world = world
    this.#mayStore = world.random.chance(`${NAME} may store`, STORES)
  }

  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      const operation = random.pick(`${name} operation`, OPERATIONS)
      if (STORING.includes(operation)) {
        if (!this.#mayStore || this.stored === MAX_STORED) return
        this.stored++
      }
      this.requests++
      await this.#operate(name, operation)
    })
  }

  #operate(name: string, operation: (typeof OPERATIONS)[number]): Promise<void> {
    const { random } = this.#world
    const invented = random.between(`${name} invents`, ...INVENTED)
    const roundId = invented
    const stake = { token: 'USDG', amountWei: '1000000', clientSeed: name }
    switch (operation) {
      case 'state':
        return this.#read(name, operation, '/api/crash', this.#credentials())
      case 'terms':
        return this.#read(name, operation, '/api/entropy', this.#credentials())
      case 'limits':
        return this.#read(name, operation, '/api/limits', this.#credentials())
      case 'disclosure': {
        const action = random.pick(`${name} asks for`, ['bet', 'verify-seeds'])
        return this.#read(name, operation, '/api/crash', { action, wallet: STRANGER, roundId })
      }
      case 'past-play': {
        const asked = { action: 'play', wallet: STRANGER, nonce: invented }
        return this.#read(name, operation, '/api/entropy', asked)
      }
      case 'lootbox':
        return this.#read(name, operation, '/api/lootbox', { wallet: STRANGER })
      case 'bet': {
        const order = { token: 'USDG', amountWei: '10000000', autoCashout: null }
        const named = random.chance(`${name} names a round`, 0.5) ? { roundId } : {}
        return this.#post(name, '/api/crash', { action: operation, ...order, ...named })
      }
      case 'cashout':
        return this.#post(name, '/api/crash', { action: operation, roundId })
      case 'play': {
        const game = { game: 'limbo', params: { target: 2.5 } }
        return this.#post(name, '/api/entropy', { action: operation, ...game, ...stake })
      }
      case 'mines-open': {
        const game = { ...stake, params: { mines: 3 }, nonce: 0 }
        return this.#post(name, '/api/entropy', { action: operation, ...game })
      }
      case 'mines-pick':
        return this.#post(name, '/api/entropy', { action: operation, nonce: invented, tile: 1 })
      case 'open': {
        const txHash = `0x${String(invented).padStart(64, 'e')}`
        return this.#post(name, '/api/lootbox', { action: operation, wallet: STRANGER, txHash })
      }
      case 'withdraw': {
        const nonce = random.pick(`${name} nonce`, [0, 0, invented])
        const order = { token: 'USDG', amountWei: '10000000', nonce, signature: UNSIGNED }
        return this.#post(name, '/api/crash', { action: operation, ...order })
      }
      case 'set a limit': {
        const limit = { kind: 'wager', window: 'day', token: 'USDG', amountWei: '1000000' }
        return this.#post(name, '/api/limits', { action: 'set', ...limit }, 'limits set')
      }
      case 'exclude':
        return this.#post(name, '/api/limits', { action: 'exclude', days: 1 }, 'limits exclude')
      case 'revoke':
        return this.#post(
          name,
          '/api/wallet/permission',
          { action: 'revoke', partner: DEV_PARTNER.id, token: 'USDG' },
          'permission revoke',
        )
      case 'grant': {
        const terms = { maxPerDayWei: '1000000', nonce: 0, signature: UNSIGNED }
        const scope = { partner: DEV_PARTNER.id, token: 'USDG', expiresAt: FAR_S }
        const grant = { action: 'grant', ...scope, ...terms }
        return this.#post(name, '/api/wallet/permission', grant, 'permission grant')
      }
      case 'permissions':
        return this.#read(name, operation, '/api/wallet/permissions', this.#credentials())
      case 'rent': {
        const txHash = `0x${String(invented).padStart(64, 'e')}`
        const links = { imageUrl: 'https://ads.test/i.png', linkUrl: 'https://ads.test/' }
        const order = { txHash, hours: 24, title: NAME, date: dateOf(this.#world.start), ...links }
        return this.#post(name, '/api/ad-rental', { action: operation, ...order })
      }
      case 'operate': {
        const act = { act: 'freeze', target: STRANGER, reason: name, expiresAt: FAR_S }
        const signed = { operator: STRANGER, signature: UNSIGNED }
        return this.#post(name, '/api/operate', { action: operation, ...act, ...signed })
      }
      case 'boxes':
        return this.#read(name, operation, '/api/lootbox-nft', { boxId: invented })
      case 'reveal':
      case 'claim':
        return this.#post(name, '/api/lootbox-nft', { action: operation, boxId: `${invented}` })
      case 'stream':
        return this.#read(name, operation, '/api/crash/stream', {})
      case 'balance': {
        const asked = { playerId: STRANGER, currency: 'USDG' }
        return this.#read(name, operation, '/api/wallet/balance', asked)
      }
      case 'debit':
      case 'rollback': {
        const asked = { playerId: STRANGER, currency: 'USDG', partnerTransactionId: name }
        const rest =
          operation === 'debit' ? { amountWei: '-1' } : { originalTransactionId: `${invented}` }
        const route = operation === 'debit' ? 'transaction' : operation
        return this.#post(name, `/api/wallet/${route}`, { action: route, ...asked, ...rest })
      }
      case 'spin': {
        const postUrl = `http://chirp.test/${NAME}/status/${invented}`
        return this.#post(name, '/api/lootbox', { action: 'share-spin', postUrl }, operation)
      }
    }
  }

  async #read(name: string, action: string, path: string, query: object): Promise<void> {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]) => [key, `${value}`]),
    )
    await ask(this.#world, name, { method: 'GET', path: `${path}?${search.toString()}`, action })
  }

  async #post(
    name: string,
    path: string,
    asked: Record<string, unknown> & { action: string },
    action = asked.action,
  ) {
    const body = JSON.stringify({ ...asked, ...this.#credentials() })
    const answer = await ask(this.#world, name, { method: 'POST', path, action, body })
    if (answer?.status === 200 && !MAY_STORE.includes(action))
      this.#world.violate(`${name}: ${action} was accepted from a wallet that has nothing`)
  }

  #credentials() {
    return credentialsOf(STRANGER, this.#world.scheduler.now)
  }
}
