import {
  emptyCall,
  estimateGas,
  signCall,
  withMargin,
  type ChainReading,
} from '../../src/chain/sender.ts'
import { logFault } from '../../src/log.ts'
import { freshFees } from '../../src/relayer/fees.ts'
import type { Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'
import type { RelayerKernel } from './kernel.ts'

/** A gap is closed once it has been seen for this long: a node that is behind shows one, too. */
const LASTING_MS = 120_000
/** The most nonces closed after one reading. */
const MAX_AT_ONCE = 20

/** Has one row while readings show a gap. The platform may evict the object between two of them. */
const TABLES = `
  CREATE TABLE nonce_gap (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL
  ) STRICT;
`

/**
 * Closes gaps in the nonces of the relayer's account, which arise if the chain drops a transaction that is no longer
 * watched, or if a node counts too many. Nothing with a higher nonce is mined until the missing one is used.
 */
export class Gaps implements Part {
  readonly migration = { id: 'nonce-gap', sql: TABLES }
  readonly #kernel: RelayerKernel

  constructor(kernel: RelayerKernel) {
    this.#kernel = kernel
  }

  /** Whether the latest reading has shown a gap. */
  get areOpen(): boolean {
    return this.#since() !== null
  }

  /** Sends a transaction for each nonce that the chain has lacked for a while: its own again, or an empty one. */
  async close(reading: ChainReading): Promise<void> {
    const { clock, owner, transactions } = this.#kernel
    const { address, used } = reading.sender
    const missing = transactions.unwatched(address, used, reading.head)
    const now = clock.now()
    const since = this.#since()
    if (missing.length === 0) return this.#forget(since)
    if (since === null) return this.#note(now)
    if (now - since < LASTING_MS) return
    this.#forget(since)
    for (const { nonce, id } of missing.slice(0, MAX_AT_ONCE)) {
      logFault('relayer_nonce_missing', 'the chain lacks a transaction with this nonce', {
        object: owner.object,
        nonce,
      })
      if (id === null) await this.#fill(reading, nonce)
      else transactions.setOpen(id)
    }
  }

  /** Returns since when every reading has shown a gap; null if the latest one has shown none. */
  #since(): number | null {
    return (
      firstRow(this.#kernel.storage.sql.exec<{ since: number }>('SELECT since FROM nonce_gap'))
        ?.since ?? null
    )
  }

  #note(now: number): void {
    this.#kernel.storage.sql.exec('INSERT INTO nonce_gap (id, since) VALUES (1, ?)', now)
  }

  #forget(since: number | null): void {
    if (since !== null) this.#kernel.storage.sql.exec('DELETE FROM nonce_gap')
  }

  async #fill(reading: ChainReading, nonce: number): Promise<void> {
    const { broadcaster, clock, payouts, transactions } = this.#kernel
    const { vault, sender, market, head } = reading
    const call = emptyCall(vault)
    const gas = await estimateGas(reading, call)
    if (gas === null) return
    const limit = withMargin(gas)
    const fees = freshFees(market, vault.relayer.maxFeePerGas)
    const signed = await signCall(vault, call, { nonce, gas: limit, fees })
    const now = clock.now()
    const payoutId = `${vault.id}:cancel:${sender.address}:${nonce}`
    const id = this.#kernel.transact(() => {
      payouts.add(payoutId, { kind: 'cancel', vaultId: vault.id }, 'cancel', now)
      this.#kernel.applyEvent(payouts.get(payoutId), { kind: 'signed', step: 'cancel' })
      const added = transactions.add(sender.address, nonce, payoutId, limit)
      transactions.addAttempt(added, { ...signed, step: 'cancel', signedAt: now, head })
      return added
    })
    await broadcaster.send(vault, id, signed.raw)
  }
}
