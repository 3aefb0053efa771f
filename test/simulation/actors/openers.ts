import type { Hex } from 'viem'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { shareCodeOf } from '../../../src/lootbox/share.ts'
import { LOOTBOX, type Transfer } from '../chain/pool-state.ts'
import { checkDays, checkOpening, checkSpin } from '../invariants/openings.ts'
import type { World } from '../world/world.ts'
import { type Answer, ask, insist, numbered, operate } from './client.ts'
import { credentialsOf } from './signers.ts'

const PAUSE_MS = [500, 8_000] as const
const MAX_TRIES = 4
/** By then, a payment is usually mined, and not confirmed. */
const MINED_MS = [2_000, 5_000] as const
/** Between two looks at a payment that is not confirmed. */
const LOOK_MS = 4_000
/** Enough looks for any payment once nothing fails any more. */
const MAX_LOOKS = 40

const { pool, stranger, priceWei } = LOOTBOX

/** How players pay: most as they should, some to get more than they paid for. */
const PAYMENTS: Record<string, Partial<Transfer>> = {
  good: {},
  'too little': { amount: priceWei - 1n },
  'too much': { amount: priceWei * 2n },
  'to another address': { to: stranger },
  'that fails': { fails: true },
  'with data': { data: '0x01' },
  'of another token': { isReward: true, amount: priceWei, to: LOOTBOX.reward, data: '0xa9059cbb' },
}

const OPERATIONS = [
  'pay',
  'pay',
  'pay',
  'pay',
  'pay',
  'pay',
  'open',
  'open',
  'open',
  'look',
  'spin',
  'spin',
  'seeds',
]

/** A payment that a player has sent. */
export interface SentPayment {
  hash: Hex
  wallet: string
  isGood: boolean
}

/** What the players at the lootbox know of each other. */
export interface Till {
  payments: SentPayment[]
  /** The seed hash of each day as told. */
  told: Map<string, string>
}

/** A player at the lootbox: pays, opens and shares posts, partly to cheat. */
export class Opener {
  readonly #world: World
  readonly #wallet: string
  readonly #name: string
  readonly #next: () => string
  readonly #till: Till
  /** The posts with which this player has claimed a free spin. */
  readonly #posts = new Set<string>()

  constructor(world: World, till: Till, wallet: string, name: string) {
    this.#world = world
    this.#till = till
    this.#wallet = wallet
    this.#name = `${name} at the lootbox`
    this.#next = numbered(this.#name)
  }

  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      await this.#operate(name, random.pick(`${name} operation`, OPERATIONS))
    })
  }

  /** Completes every claim and opens with every payment that the chain has. */
  async settle(): Promise<void> {
    for (const post of this.#posts) await this.#claim(`${this.#name} settles`, post, MAX_TRIES)
    const mine = this.#till.payments.filter(({ wallet }) => wallet === this.#wallet)
    // At the same time, because several of them may never come.
    await Promise.all(mine.filter(({ isGood }) => isGood).map((each) => this.#settle(each)))
  }

  async #settle(payment: SentPayment): Promise<void> {
    const { chain, scheduler } = this.#world
    for (let looks = 1; looks <= MAX_LOOKS; looks++) {
      const answer = await this.#open(`${this.#name} settles`, payment, 1)
      if (answer?.json['open'] || (this.#isDayLater && isTooOld(answer))) return
      await scheduler.sleep(LOOK_MS)
    }
    const isMined = chain?.blocks.some(({ mined }) =>
      mined.some(({ tx }) => tx.hash === payment.hash),
    )
    if (isMined) this.#world.violate(`payment ${payment.hash} does not open the lootbox`)
  }

  /** A payment must be presented within a day. */
  get #isDayLater(): boolean {
    return this.#world.scheduler.now - this.#world.start > DAY_MS
  }

  async #operate(name: string, operation: string): Promise<void> {
    const { random } = this.#world
    switch (operation) {
      case 'pay':
        return this.#pay(name)
      case 'open': {
        const { payments } = this.#till
        const tries = random.between(`${name} tries`, 1, MAX_TRIES)
        if (payments.length > 0)
          await this.#open(name, random.pick(`${name} payment`, payments), tries)
        return
      }
      case 'spin':
        return this.#spin(name)
      case 'seeds':
        return this.#seeds(name)
      default:
        return this.#look(name)
    }
  }

  async #pay(name: string): Promise<void> {
    const { chain, random, scheduler } = this.#world
    const kinds = Object.keys(PAYMENTS)
    const kind = random.chance(`${name} is good`, 0.75)
      ? 'good'
      : random.pick(`${name} kind`, kinds)
    const transfer = { to: pool, amount: priceWei, data: '0x' as const, ...PAYMENTS[kind] }
    this.#world.tell(() => `${name} sends a payment: ${kind}`)
    const hash = chain?.send(this.#wallet, { kind: 'transfer', ...transfer }, name)
    if (!hash) return
    const payment = { hash, wallet: this.#wallet, isGood: kind === 'good' }
    this.#till.payments.push(payment)
    const isMinedFirst = random.chance(`${name} waits`, 0.5)
    if (isMinedFirst) await scheduler.sleep(random.between(`${name} wait`, ...MINED_MS))
    const tries = random.between(`${name} tries`, 1, MAX_TRIES)
    await this.#open(name, payment, tries)
  }

  async #open(name: string, payment: SentPayment, tries: number): Promise<Answer | null> {
    const body = JSON.stringify({ action: 'open', wallet: this.#wallet, txHash: payment.hash })
    const sent = { method: 'POST', path: '/api/lootbox', action: 'open', body } as const
    const answer = await insist(this.#world, name, sent, tries)
    if (answer?.status === 200)
      checkOpening(this.#world, this.#wallet, payment, answer.json, this.#till.told)
    return answer
  }

  /** Shares a post, or takes one that somebody has shared, and claims a free spin with it. */
  async #spin(name: string): Promise<void> {
    const { random, shareSite } = this.#world
    if (!shareSite) return
    const { links } = shareSite
    const isOld = links.length > 0 && random.chance(`${name} takes an old post`, 0.5)
    const postUrl = isOld ? random.pick(`${name} post`, links) : this.#share(name)
    this.#posts.add(postUrl)
    await this.#claim(name, postUrl, random.between(`${name} tries`, 1, MAX_TRIES))
  }

  async #claim(name: string, postUrl: string, tries: number): Promise<void> {
    const body = JSON.stringify({ action: 'share-spin', postUrl, ...this.#credentials() })
    const sent = { method: 'POST', path: '/api/lootbox', action: 'spin', body } as const
    const answer = await insist(this.#world, name, sent, tries)
    if (answer?.status === 200) checkSpin(this.#world, this.#wallet, answer.json, this.#till.told)
  }

  /** Shares a post, some with another player's code too, by one of few authors. */
  #share(name: string): string {
    const { random, shareSite } = this.#world
    const author = random.pick(`${name} author`, ['ann', 'bob', 'eve'])
    const others = this.#till.payments.map(({ wallet }) => shareCodeOf(wallet))
    const codes = random.chance(`${name} names others`, 0.4) ? others : []
    const text = [shareCodeOf(this.#wallet), ...codes].map((code) => `#${code}`).join(' ')
    return shareSite?.share({ author, text }) ?? ''
  }

  async #look(name: string): Promise<void> {
    const path = `/api/lootbox?wallet=${this.#wallet}`
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'lootbox' })
    if (answer?.status !== 200) return
    const { day, seedHash } = answer.json
    this.#till.told.set(String(day), String(seedHash))
    this.#world.promise(`seed hash of ${String(day)}`, String(seedHash))
  }

  async #seeds(name: string): Promise<void> {
    const path = '/api/lootbox?action=verify-seeds'
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'seeds' })
    if (answer?.status === 200) checkDays(this.#world, answer.json)
  }

  #credentials() {
    return credentialsOf(this.#world, this.#wallet)
  }
}

function isTooOld(answer: Answer | null): boolean {
  const { details } = (answer?.json['error'] ?? {}) as { details?: { reason?: string } }
  return details?.reason === 'too_old'
}
