import { encodeFunctionData, erc20Abi, sha256, type Address, type Hex } from 'viem'
import { boxNftAbi } from '../../../src/chain/abi.ts'
import { BOXES, KINDS } from '../chain/box-state.ts'
import type { Chain } from '../chain/chain.ts'
import { CONFIRMATIONS } from '../chain/depths.ts'
import { loggedBatches } from '../invariants/box-log.ts'
import { MAX_BATCHES, type Peppers } from '../world/peppers.ts'
import type { World } from '../world/world.ts'

const PAUSE_MS = [1_000, 4_000] as const
/** How long each batch is on sale. */
const SALE_MS = [5_000, 30_000] as const
/** When the operator configures wrong peppers, and for how long, in some histories. */
const WRONG_AFTER_MS = [2_000, 25_000] as const
const WRONG_MS = [10_000, 30_000] as const
/** A new configuration has reached every isolate after this long. */
const DEPLOYED_WITHIN_MS = 2_000
/** Covers one closed box of each kind, so that a kind is sometimes not for sale. */
const FIRST_FUNDS = 300n * 10n ** 18n
const FUNDS = 10n ** 24n

/** The owner of the boxes: sells batches, publishes their peppers, and funds the prizes. */
export class BoxOwner {
  readonly #world: World
  readonly #chain: Chain
  readonly #peppers: Peppers
  /** Until when the latest batch is on sale, in true unix milliseconds. */
  #saleUntil = 0
  #count = 0

  constructor(world: World, chain: Chain, peppers: Peppers) {
    this.#world = world
    this.#chain = chain
    this.#peppers = peppers
  }

  /** Funds the first prizes and opens the first batch. */
  start(): void {
    this.#fund(FIRST_FUNDS)
    this.#openBatch(1)
  }

  async live(until: number): Promise<void> {
    const { scheduler, random } = this.#world
    this.#saleUntil = this.#endOfSale(1)
    if (random.chance('the peppers are wrong', 0.4)) this.#planWrongPeppers()
    for (;;) {
      const name = `boxes' owner ${++this.#count}`
      await scheduler.sleep(random.between(`${name} pause`, ...PAUSE_MS))
      if (scheduler.now >= until) return
      this.#step()
      this.#changeOffer(name)
    }
  }

  /** Corrects the peppers and funds all prizes. The last batch may stay on sale. */
  settle(): void {
    this.#deploy(false, 0)
    this.#fund(FUNDS)
  }

  /** Does what is due. A reorganisation may have undone it, and a transaction may have failed. */
  #step(): void {
    if (this.#chain.waitingOf(BOXES.owner).length > 0) return
    const { head } = this.#chain
    const { batches } = head.state.boxes
    const latest = batches.at(-1)
    if (!latest || latest.isEnded) {
      if (batches.length < MAX_BATCHES && this.#isLogged(batches.length - 1))
        this.#openBatch(batches.length + 1)
    } else if (latest.stoppedAt === 0) {
      if (this.#world.scheduler.now >= this.#saleUntil) this.#send('stopBatch', [])
      // Before the end of the sale is confirmed, nobody may know the pepper.
    } else if (head.number - latest.stoppedAt >= CONFIRMATIONS) this.#endBatch(batches.length)
  }

  /** The service looks at the latest two batches: the one before them must be in the public log. */
  #isLogged(batch: number): boolean {
    return batch < 1 || loggedBatches(this.#world).some(({ id }) => id === `${batch}:closed`)
  }

  #openBatch(batch: number): void {
    this.#saleUntil = this.#endOfSale(batch)
    this.#send('openBatch', [sha256(`0x${this.#peppers.of(batch)}`)])
  }

  #endOfSale(batch: number): number {
    const { scheduler, random } = this.#world
    return scheduler.now + random.between(`sale of batch ${batch}`, ...SALE_MS)
  }

  #endBatch(batch: number): void {
    const pepper = this.#peppers.of(batch)
    this.#peppers.secret.delete(pepper)
    this.#send('endBatch', [`0x${pepper}`])
  }

  /** Takes a kind off sale for a short time, now and then. */
  #changeOffer(name: string): void {
    const { random } = this.#world
    const kind = random.between(`${name} kind`, 0, KINDS.length - 1)
    const isForSale = this.#chain.head.state.boxes.forSale[kind] ?? false
    if (!random.chance(`${name} changes the offer`, isForSale ? 0.04 : 0.4)) return
    this.#send('setForSale', [BigInt(kind), !isForSale])
  }

  #send(
    functionName: 'openBatch' | 'stopBatch' | 'endBatch' | 'setForSale',
    args: unknown[],
  ): void {
    this.#world.tell(() => `the boxes' owner sends ${functionName}`)
    const data = encodeFunctionData({ abi: boxNftAbi, functionName, args: args as never })
    this.#transact(BOXES.contract, data)
  }

  #fund(amount: bigint): void {
    const args = [BOXES.award, amount] as const
    this.#transact(
      BOXES.reward,
      encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
    )
  }

  #transact(to: Address, data: Hex): void {
    const call = { kind: 'boxes', from: BOXES.owner, to, data, value: 0n } as const
    this.#chain.send(BOXES.owner, call, `boxes' owner ${++this.#count}`)
  }

  /** Plans that the operator deploys the peppers of other batches for a while. */
  #planWrongPeppers(): void {
    const { scheduler, random } = this.#world
    const from = random.between('wrong peppers after', ...WRONG_AFTER_MS)
    const until = from + random.between('wrong peppers for', ...WRONG_MS)
    for (const [afterMs, areWrong] of [
      [from, true],
      [until, false],
    ] as const)
      scheduler.after(afterMs, `wrong peppers ${areWrong}`, null, () => {
        if (this.#world.faults.isOn) this.#deploy(areWrong, DEPLOYED_WITHIN_MS)
      })
  }

  /** Deploys wrong or right peppers to every isolate, unless that has been done. */
  #deploy(areWrong: boolean, withinMs: number): void {
    const { scheduler, random, isolates } = this.#world
    if (this.#peppers.arePermuted === areWrong) return
    this.#world.tell(() => `the operator deploys ${areWrong ? 'wrong' : 'the right'} peppers`)
    this.#peppers.configure(areWrong)
    for (const isolate of isolates) {
      const name = `peppers ${areWrong} reach isolate ${isolate.number}`
      scheduler.after(random.between(name, 0, withinMs), name, null, () =>
        this.#world.recycle(isolate),
      )
    }
  }
}
