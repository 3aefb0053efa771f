import type { Hex } from 'viem'
import { sign } from 'viem/accounts'
import { OPERATORS } from '../../../src/api/dev/players.ts'
import { actHash } from '../../../src/chain/operator-act.ts'
import type { Act, ActResult } from '../../../src/operator/act.ts'
import { LEAD_MS, READ_AGE_MS } from '../../../src/operator/modes.ts'
import { CHAIN } from '../chain/addresses.ts'
import type { World } from '../world/world.ts'
import { insist, numbered, operate } from './client.ts'

const PAUSE_MS = [1_000, 15_000] as const
const MAX_TRIES = 4
/** Once nothing fails any more, an order is repeated until it is decided. */
export const TRIES_AT_REST = 20
const LIFETIME_S = 3_600
/** Caretakers, and the orders at rest, need the others of the hundred acts an hour. */
const MAX_ORDERS = 65
/** How long after all clocks agree a request is certainly late. */
const AGREED_MS = 200

const SWITCHES = [
  'crash',
  'crash',
  'limbo',
  'mines',
  'plinko',
  'keno',
  'token:USDG',
  'partner:demo',
  'withdrawals',
  'withdrawals',
  'lootbox',
  'all',
]
/** Those that many stakes meet. */
const BROAD_SWITCHES = ['all', 'token:USDG', 'crash']
const MODES = ['open', 'open', 'draining', 'closed'] as const
const OPERATIONS = [
  'mode',
  'mode',
  'close for a while',
  'terms',
  'freeze',
  'freeze',
  'unfreeze',
  'change their mind',
  'change their mind',
  'repeat',
]
/** Long enough for every reader to know that a switch is closed. */
const CLOSED_MS = [5_000, 9_000] as const

/** The operators who may order together whatever can be ordered. */
const SIGNERS = OPERATORS.filter(({ role }) => role === 'admin' || role === 'treasurer')

/** An act that an operator has signed, and what the operators have heard of it. */
export interface Ordered extends Act {
  hash: Hex
}

/** The operators: they open, drain and close, set terms, and freeze wallets. */
export class Office {
  readonly ordered: Ordered[] = []
  readonly #decided = new Set<Hex>()
  readonly #world: World
  readonly #wallets: readonly string[]
  /** The switches that this history turns: few, so that orders contradict each other. */
  readonly #switches: readonly string[]
  readonly #next = numbered('operators')

  constructor(world: World, wallets: readonly string[]) {
    this.#world = world
    this.#wallets = wallets
    const { random } = world
    this.#switches = [
      random.pick("operators' broad switch", BROAD_SWITCHES),
      random.pick("operators' switch", SWITCHES),
    ]
  }

  /** Orders acts until a time. */
  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      if (this.ordered.length < MAX_ORDERS)
        await this.#operate(name, random.pick(`${name} operation`, OPERATIONS))
    })
  }

  /**
   * Opens everything again and ends all freezes. Returns once that is in force everywhere.
   * @param mayDrain whether everything may be drained instead, so that nothing new is taken
   */
  async settle(mayDrain: boolean): Promise<void> {
    const { scheduler, random, clocksDifferMs } = this.#world
    if (this.ordered.length === 0) return
    await this.#hearOfAll()
    const drains = mayDrain && random.chance('operators drain at last', 0.4)
    const all = drains ? 'draining' : 'open'
    // To open withdrawals takes two operators, and to open the rest an admin. There is only one admin.
    const others = [...new Set(SWITCHES)].filter((name) => name !== 'all' && name !== 'withdrawals')
    const target = [`all=${all}`, ...others.map((name) => `${name}=open`)].join(',')
    await this.order('operators open', 'mode', target, TRIES_AT_REST)
    await this.order('operators open the desk', 'mode', 'withdrawals=open', TRIES_AT_REST)
    const frozen = this.ordered.filter(({ act }) => act === 'freeze').map((act) => act.target)
    for (const wallet of new Set(frozen))
      await this.order(`operators unfreeze ${wallet}`, 'unfreeze', wallet, TRIES_AT_REST)
    await scheduler.sleep(LEAD_MS + READ_AGE_MS + clocksDifferMs)
  }

  /** Repeats what was ordered without an answer. Else it could still close or freeze something once it arrives. */
  async #hearOfAll(): Promise<void> {
    const unheard = this.ordered.filter(
      ({ act, hash }) => (act === 'mode' || act === 'freeze') && !this.#decided.has(hash),
    )
    for (const act of unheard)
      await this.#sign(`operators repeat ${act.reason}`, act, TRIES_AT_REST)
  }

  #operate(name: string, operation: (typeof OPERATIONS)[number]): Promise<unknown> {
    const { random } = this.#world
    const tries = random.between(`${name} tries`, 1, MAX_TRIES)
    const wallet = () => random.pick(`${name} wallet`, this.#wallets)
    switch (operation) {
      case 'mode': {
        const setting = (which: string) =>
          `${random.pick(`${name} ${which} switch`, this.#switches)}=${random.pick(`${name} ${which} mode`, MODES)}`
        const [one, another] = [setting('first'), setting('second')]
        const isOne = one.split('=')[0] === another.split('=')[0]
        const both = !isOne && random.chance(`${name} sets two`, 0.2)
        return this.order(name, 'mode', both ? `${one},${another}` : one, tries)
      }
      case 'terms': {
        const term = random.pick(`${name} term`, ['crash.edgeBps', 'entropy.edgeBps'])
        const value = random.pick(`${name} value`, [50, 150, 300, null])
        return this.order(name, 'terms', JSON.stringify({ [term]: value }), tries)
      }
      case 'freeze':
      case 'unfreeze':
        return this.order(name, operation, wallet(), tries)
      case 'close for a while':
        return this.#closeForAWhile(name, tries)
      case 'change their mind':
        return this.#changeMind(name, tries)
      default: {
        if (this.ordered.length === 0) return Promise.resolve()
        return this.#sign(name, random.pick(`${name} earlier`, this.ordered), tries)
      }
    }
  }

  async #closeForAWhile(name: string, tries: number): Promise<void> {
    const { scheduler, random } = this.#world
    const closed = random.pick(`${name} switch`, this.#switches)
    await this.order(`${name} close`, 'mode', `${closed}=closed`, tries)
    await scheduler.sleep(random.between(`${name} closed for`, ...CLOSED_MS))
    await this.order(`${name} open`, 'mode', `${closed}=open`, tries)
  }

  /** Orders one thing and its opposite at once, for a wallet or a switch. */
  async #changeMind(name: string, tries: number): Promise<void> {
    const { random } = this.#world
    const wallet = random.pick(`${name} wallet`, this.#wallets)
    const turned = random.pick(`${name} switch`, this.#switches)
    const acts: [Act['act'], string][] = random.chance(`${name} of a wallet`, 0.5)
      ? [
          ['freeze', wallet],
          ['unfreeze', wallet],
        ]
      : [
          ['mode', `${turned}=closed`],
          ['mode', `${turned}=open`],
        ]
    if (random.chance(`${name} the other way round`, 0.5)) acts.reverse()
    const orders = acts.map(([act, target]) =>
      this.order(`${name} ${act} ${target}`, act, target, tries),
    )
    await Promise.all(orders)
  }

  /** Has operators sign an act that is new. Returns its result, if they have heard of it. */
  async order(
    name: string,
    act: Act['act'],
    target: string,
    tries: number,
  ): Promise<ActResult | null> {
    const expiresAt = Math.floor(this.#world.scheduler.now / 1_000) + LIFETIME_S
    const ordered: Act = { act, target, reason: name, expiresAt }
    const vault = this.#world.chain ? CHAIN.vault : `0x${'0'.repeat(40)}`
    const scope = { site: 'http://localhost:8787', chainId: CHAIN.chainId } as const
    const hash = actHash({ ...scope, verifyingContract: vault as Hex }, ordered)
    const signed = { ...ordered, hash }
    this.ordered.push(signed)
    return this.#sign(name, signed, tries)
  }

  /** Has operators sign an act until it is decided. */
  async #sign(name: string, { hash, ...act }: Ordered, tries: number): Promise<ActResult | null> {
    for (const { address, privateKey } of SIGNERS) {
      const signature = await sign({ hash, privateKey, to: 'hex' })
      const body = JSON.stringify({ ...act, operator: address, signature })
      const sent = { method: 'POST', path: '/api/operate', action: 'operate', body } as const
      const answer = await insist(this.#world, name, sent, tries)
      if (answer?.status !== 200) return null
      const kept = answer.json['act'] as Told
      if (kept.hash !== hash || kept.target !== act.target)
        this.#world.violate(`act ${hash} was answered as another one`)
      if (kept.result) this.#world.promise(`act ${hash}`, JSON.stringify(kept.result))
      if (kept.decidedAt === null) continue
      this.#decided.add(hash)
      this.#aimAtEffect()
      return kept.result
    }
    return null
  }

  /** Has late requests arrive as an order takes effect, and once every clock agrees that it has. */
  #aimAtEffect(): void {
    const { scheduler, transitions, clocksDifferMs } = this.#world
    for (const agreedMs of [0, clocksDifferMs + AGREED_MS])
      transitions.plan(Math.round(scheduler.now + LEAD_MS + agreedMs), true)
  }
}

interface Told {
  hash: string
  target: string
  decidedAt: number | null
  result: ActResult | null
}
