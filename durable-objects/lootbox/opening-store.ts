import { retried } from '../../src/calls/call.ts'
import { chainOfPayment, lootboxDay, relayer } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import { sha256Hex } from '../../src/core/sha256.ts'
import { saveOpening } from '../../src/history/openings.ts'
import {
  openingOf,
  shownOpening,
  type Opening,
  type OpeningAnswer,
  type PrizeStatus,
  type PrizeRoll,
} from '../../src/lootbox/opening.ts'
import type { PrizeTier } from '../../src/lootbox/prizes.ts'
import type { PrizeOrder } from '../../src/relayer/prize.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'

const TABLES = `
  CREATE TABLE opening (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    opening TEXT NOT NULL,
    is_paid INTEGER NOT NULL,
    prize_tx_hash TEXT,
    version INTEGER NOT NULL
  ) STRICT;
`

/** An unpaid prize is ordered again this often: the relayer may have been restored to a time before the order. */
const ORDER_AGAIN_MS = 3_600_000

type Row = { opening: string; is_paid: number; prize_tx_hash: string | null; version: number }

/** The relayer's report on a prize. */
export interface PrizeUpdate {
  isPaid: boolean
  txHash: string | null
  version: number
}

/** The one opening that an object owns, and its prize until it is paid. */
export class OpeningStore implements Part {
  readonly migration = { id: 'opening', sql: TABLES }
  readonly deliver = {
    prize: (payload: string) => this.#order(payload),
    project: () => this.sendToHistory(),
  }
  readonly #ctx: DurableObjectState
  readonly #env: Env
  readonly #kernel: Kernel
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: Env, kernel: Kernel) {
    this.#ctx = ctx
    this.#env = env
    this.#kernel = kernel
    this.#sql = ctx.storage.sql
  }

  /** Returns the opening's owner; null before anything has been opened. */
  owner(): string | null {
    return this.#read()?.opening.wallet ?? null
  }

  /** Records a roll's win, once, with the order for its prize and the notice of it. */
  win(rolled: PrizeRoll, prizes: readonly PrizeTier[], pool: string): void {
    if (this.#read()) return
    const { name } = this.#ctx.id
    invariant(name, 'the owner of an opening has a name')
    const now = this.#kernel.clock.now()
    const opening = openingOf(rolled, prizes, now)
    const { wallet, asset, prize } = opening
    const prizeId: PrizeOrder['prizeId'] = `0x${sha256Hex(name)}`
    const order: PrizeOrder = {
      kind: 'prize',
      prizeId,
      pool,
      chainId: this.#chainId(),
      to: wallet,
      asset,
      amountWei: prize,
      opening: name,
    }
    this.#kernel.transact(() => {
      this.#sql.exec(
        'INSERT INTO opening (id, opening, is_paid, version) VALUES (1, ?, 0, 0)',
        JSON.stringify(opening),
      )
      this.#kernel.outbox.add({ kind: 'prize', payload: JSON.stringify(order) }, now)
      this.#kernel.outbox.add({ kind: 'project', payload: '' }, now)
    })
    this.#kernel.alarm.wakeBy(now, now)
  }

  /** Accepts the relayer's report on the prize. Safe to repeat; the newest report counts. */
  progress({ isPaid, txHash, version }: PrizeUpdate): void {
    const row = this.#read()
    invariant(row, 'a prize belongs to an opening')
    if (version <= row.version) return
    const now = this.#kernel.clock.now()
    this.#kernel.transact(() => {
      this.#sql.exec(
        'UPDATE opening SET is_paid = ?, prize_tx_hash = coalesce(?, prize_tx_hash), version = ?',
        isPaid ? 1 : 0,
        txHash,
        version,
      )
      if (isPaid) this.#kernel.outbox.cancel('prize')
      this.#kernel.outbox.add({ kind: 'project', payload: '' }, now)
    })
    this.#kernel.alarm.wakeBy(now, now)
  }

  /** Writes the opening into the history again. */
  async sendToHistory(): Promise<void> {
    const row = this.#read()
    if (row) await saveOpening(this.#env.HISTORY, row.opening, row.status)
  }

  /** Returns the opening as it is answered, with the day's seed once the day has ended. */
  async shown(): Promise<OpeningAnswer> {
    const row = this.#read()
    invariant(row, 'only a stored opening is shown')
    this.#kernel.wake()
    const disclosed = await retried(async () => lootboxDay(this.#env, row.opening.day).disclosure())
    return shownOpening(row.opening, row.status, disclosed?.seed ?? null)
  }

  /** Orders the prize, and once more later unless it is paid by then. */
  async #order(payload: string): Promise<void> {
    if (this.#isPaid()) return
    const order = JSON.parse(payload) as PrizeOrder
    await relayer(this.#env, order.chainId).payPrize(order)
    if (this.#isPaid()) return
    const { clock, outbox } = this.#kernel
    this.#kernel.transact(() => {
      outbox.cancel('prize')
      outbox.add({ kind: 'prize', payload }, clock.now() + ORDER_AGAIN_MS)
    })
  }

  /** Returns the chain of the payment, which may differ from the configured one by now; a post has none. */
  #chainId(): number {
    const { chainId } = loadConfig(this.#env)
    return chainOfPayment(this.#ctx.id.name ?? '') ?? chainId
  }

  #isPaid(): boolean {
    return this.#read()?.status.isPaid ?? false
  }

  #read(): { opening: Opening; status: PrizeStatus; version: number } | null {
    if (!this.#kernel.isOpen) return null
    const row = firstRow(this.#sql.exec<Row>('SELECT * FROM opening'))
    if (!row) return null
    return {
      opening: JSON.parse(row.opening) as Opening,
      status: { isPaid: row.is_paid === 1, txHash: row.prize_tx_hash },
      version: row.version,
    }
  }
}
