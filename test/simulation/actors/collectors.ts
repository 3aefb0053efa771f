import { encodeFunctionData, type Address } from 'viem'
import { boxNftAbi } from '../../../src/chain/abi.ts'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { BOXES, isClaimed, KINDS, walletOf } from '../chain/box-state.ts'
import type { Chain } from '../chain/chain.ts'
import type { BoxWatch } from '../invariants/box-watch.ts'
import { checkOffer, checkReveal, checkView, type BuiltTx } from '../invariants/boxes.ts'
import { MAX_SKEW_MS } from '../world/traits.ts'
import type { World } from '../world/world.ts'
import { type Answer, ask, insist, numbered, operate } from './client.ts'
import type { ToldLimit } from './guardians.ts'

const PAUSE_MS = [300, 4_500] as const
const MAX_TRIES = 3
/** By then, a purchase is often mined, and seldom confirmed. */
const MINED_MS = [1_000, 8_000] as const
const MAX_BOXES = 6
/** Between two looks at what has not been claimed. */
const LOOK_MS = 4_000
/** Enough looks for any box once nothing fails any more. */
const MAX_LOOKS = 40
/** A box that nobody has bought. */
const NO_BOX = 7n

const OPERATIONS = [
  'buy',
  'buy',
  'buy',
  'buy',
  'reveal',
  'reveal',
  'reveal',
  'claim',
  'claim',
  'transfer',
  'look',
  'look',
  'look at one',
  'look at one',
]

/** What the collectors of a history share. */
export interface BoxFair {
  world: World
  chain: Chain
  watch: BoxWatch
  wallets: readonly string[]
  /** What the service has told players of their exclusions. */
  told: () => readonly ToldLimit[]
}

/** A player who collects boxes: buys, reveals, opens, claims and gives them away. */
export class Collector {
  readonly #fair: BoxFair
  readonly #wallet: Address
  readonly #name: string
  readonly #next: () => string

  constructor(fair: BoxFair, wallet: string, name: string) {
    this.#fair = fair
    this.#wallet = wallet as Address
    this.#name = `${name} at the boxes`
    this.#next = numbered(this.#name)
  }

  async live(until: number): Promise<void> {
    const { random } = this.#fair.world
    await operate(this.#fair.world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      await this.#operate(name, random.pick(`${name} operation`, OPERATIONS))
    })
  }

  /** Reveals and claims every box that this wallet has. */
  async settle(): Promise<void> {
    const { world, chain, wallets } = this.#fair
    const name = `${this.#name} settles`
    for (let looks = 1; looks <= MAX_LOOKS; looks++) {
      const { boxes } = chain.head.state
      const unpaid = walletOf(boxes, this.#wallet).boxes.filter((boxId) => !isClaimed(boxes, boxId))
      // A box may still come from another player.
      const mayCome = wallets.some((wallet) => chain.waitingOf(wallet).length > 0)
      if (unpaid.length === 0 && !mayCome) return
      if (chain.waitingOf(this.#wallet).length === 0)
        for (const boxId of unpaid) {
          const step = boxes.sold.get(boxId)?.isOpened ? 'claim' : 'reveal'
          const tx = step === 'claim' ? this.#claim(name, boxId) : this.#reveal(name, boxId, 1)
          this.#send(await tx, `${name} ${looks} ${boxId}`)
        }
      await world.scheduler.sleep(LOOK_MS)
    }
    const { boxes } = chain.head.state
    const left = walletOf(boxes, this.#wallet).boxes.find((boxId) => !isClaimed(boxes, boxId))
    if (left !== undefined) world.violate(`box ${left} cannot be revealed and claimed`)
  }

  async #operate(name: string, operation: string): Promise<void> {
    const { world, chain } = this.#fair
    const { random } = world
    if (operation === 'look') return this.#look(name)
    const boxId = this.#choose(name)
    const isEarly = boxId === NO_BOX && random.chance(`${name} would have a box`, 0.8)
    if (operation === 'buy' || isEarly) return this.#buy(name)
    if (operation === 'look at one') return this.#lookAt(name, boxId)
    if (operation === 'transfer') return this.#give(name, boxId)
    const tries = random.between(`${name} tries`, 1, MAX_TRIES)
    const tx = await (operation === 'claim'
      ? this.#claim(name, boxId)
      : this.#reveal(name, boxId, tries))
    if (!random.chance(`${name} is sent`, 0.7)) return
    this.#send(tx, name)
    // Anyone may send it. Only one of the two counts.
    const rival = random.pick(`${name} rival`, this.#fair.wallets) as Address
    if (tx && rival !== this.#wallet && random.chance(`${name} has a rival`, 0.3))
      chain.send(rival, callOf(rival, tx), `${name} of ${rival}`)
  }

  async #buy(name: string): Promise<void> {
    const { world, chain } = this.#fair
    const { scheduler, random } = world
    if (walletOf(chain.head.state.boxes, this.#wallet).bought >= MAX_BOXES) return
    const kind = random.between(`${name} kind`, 0, KINDS.length - 1)
    const from = scheduler.now
    const answer = await this.#act(name, 'buy', { kind, wallet: this.#wallet }, MAX_TRIES)
    if (answer?.status !== 200) return
    checkOffer(this.#fair, kind, answer, from)
    this.#expectNotExcluded(from)
    this.#send(answer.json['tx'] as BuiltTx, name)
    await scheduler.sleep(random.between(`${name} wait`, ...MINED_MS))
    const bought = walletOf(this.#head(name), this.#wallet).boxes.at(-1)
    if (bought !== undefined)
      this.#send(await this.#reveal(name, bought, MAX_TRIES), `${name} opens`)
  }

  /** An exclusion of which the player has been told holds for a day. */
  #expectNotExcluded(from: number): void {
    const { world, told } = this.#fair
    const isExcluded = told().some(
      ({ wallet, at, limit }) =>
        wallet === this.#wallet &&
        limit === null &&
        at <= from &&
        world.scheduler.now < at + DAY_MS - 2 * MAX_SKEW_MS,
    )
    if (isExcluded) world.violate(`${this.#wallet} is excluded, and was offered a box`)
  }

  async #reveal(name: string, boxId: bigint, tries: number): Promise<BuiltTx | null> {
    const from = this.#fair.world.scheduler.now
    const answer = await this.#act(name, 'reveal', { boxId: boxId.toString() }, tries)
    if (!answer) return null
    checkReveal(this.#fair, boxId, answer, from)
    return answer.status === 200 ? (answer.json['tx'] as BuiltTx) : null
  }

  async #claim(name: string, boxId: bigint): Promise<BuiltTx | null> {
    const answer = await this.#act(name, 'claim', { boxId: boxId.toString() }, 1)
    return answer?.status === 200 ? (answer.json['tx'] as BuiltTx) : null
  }

  /** Gives an opened box to another player. */
  #give(name: string, boxId: bigint): void {
    const { world, wallets } = this.#fair
    const to = world.random.pick(`${name} to`, wallets) as Address
    const args = [this.#wallet, to, boxId] as const
    const data = encodeFunctionData({ abi: boxNftAbi, functionName: 'transferFrom', args })
    this.#send({ to: BOXES.contract, data, value: '0' }, name)
  }

  async #look(name: string): Promise<void> {
    const { scheduler } = this.#fair.world
    const from = scheduler.now
    const answer = await this.#get(name, `wallet=${this.#wallet}`)
    if (answer?.status === 200) checkView(this.#fair, { wallet: this.#wallet }, answer, from)
  }

  async #lookAt(name: string, boxId: bigint): Promise<void> {
    const { scheduler } = this.#fair.world
    const from = scheduler.now
    const answer = await this.#get(name, `boxId=${boxId}`)
    if (answer?.status === 200) checkView(this.#fair, { boxId }, answer, from)
  }

  /** Chooses a box that some node has, most often one of this wallet's. */
  #choose(name: string): bigint {
    const { random } = this.#fair.world
    const boxes = this.#head(name)
    const mine = walletOf(boxes, this.#wallet).boxes
    const isMine = mine.length > 0 && random.chance(`${name} of their own`, 0.6)
    const known = isMine ? mine : [...boxes.sold.keys()]
    return known.length > 0 ? random.pick(`${name} box`, known) : NO_BOX
  }

  /** Returns the boxes at the head of any node. */
  #head(name: string) {
    const { world, chain } = this.#fair
    return (world.random.pick(`${name} node`, chain.nodes).at(-1) ?? chain.head).state.boxes
  }

  #send(tx: BuiltTx | null, id: string): void {
    if (!tx) return
    this.#fair.world.tell(() => `${id}: ${this.#wallet} sends ${tx.data.slice(0, 10)}`)
    this.#fair.chain.send(this.#wallet, callOf(this.#wallet, tx), id)
  }

  #act(name: string, action: string, fields: object, tries: number): Promise<Answer | null> {
    const body = JSON.stringify({ action, ...fields })
    const sent = { method: 'POST', path: '/api/lootbox-nft', action, body } as const
    return insist(this.#fair.world, name, sent, tries)
  }

  #get(name: string, query: string): Promise<Answer | null> {
    const path = `/api/lootbox-nft?${query}`
    return ask(this.#fair.world, name, { method: 'GET', path, action: 'boxes' })
  }
}

function callOf(from: Address, { to, data, value }: BuiltTx) {
  return { kind: 'boxes', from, to, data, value: BigInt(value) } as const
}
