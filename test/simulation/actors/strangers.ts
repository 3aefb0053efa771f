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
] as const

/** Nobody's signature, which is checked all the same: the wallet may be a contract. */
const UNSIGNED = `0x${'11'.repeat(65)}`

const NAME = 'eve'
const IS_INVENTED = /(^|:|e{20})1000\d{3}$/

/** Returns whether nobody but strangers asks for an object of this name. */
export function isStrange(name: string): boolean {
  return name === STRANGER || IS_INVENTED.test(name)
}

/** Returns whether code runs for a stranger's request, given the name of its host. */
export function isForStranger(host: string): boolean {
  return host.includes(`router of ${NAME} `)
}

/** Someone who has paid nothing, and asks for what should make the service store nothing and hardly ask its node. */
export class Stranger {
  requests = 0
  readonly #world: World
  readonly #next = numbered(NAME)

  constructor(world: World) {
    this.#world = world
  }

  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      this.requests++
      await this.#operate(name, random.pick(`${name} operation`, OPERATIONS))
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
    if (answer?.status === 200)
      this.#world.violate(`${name}: ${action} was accepted from a wallet that has nothing`)
  }

  #credentials() {
    return credentialsOf(STRANGER, this.#world.scheduler.now)
  }
}
