import { retried } from '../../src/calls/call.ts'
import { control } from '../../src/calls/objects.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import type { StoredPlay } from '../../src/games/play-request.ts'
import { findPosition, savePosition, type Position } from '../../src/history/positions.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { hasMoved } from '../../src/ledger/totals.ts'
import { logFault } from '../../src/log.ts'
import type { Archive } from './archive.ts'
import type { Bets } from './bets.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import { hasEntry } from './known-entry.ts'
import type { Limits } from './limits.ts'
import type { Permissions } from './permissions.ts'
import type { Plays } from './plays.ts'
import { safeguardsOf } from './safeguards.ts'
import type { VaultTransactions } from './vault-transactions.ts'
import type { Withdrawals } from './withdrawals.ts'

interface Parts {
  bets: Bets
  vaultTransactions: VaultTransactions
  plays: Plays
  archive: Archive
  withdrawals: Withdrawals
  limits: Limits
  permissions: Permissions
}

/** A wallet whose chips have not moved may have many refused operations. */
const MOST_LOOKED_AT = 1_000

/** The kind of the message that has the wallet closed. */
const WENT_BACK = 'went-back'

/** A wallet's data in D1: its position, and its newest plays. */
export class Feeds implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #parts: Parts

  readonly deliver = {
    [WENT_BACK]: async (message: string) => {
      const { env, owner, wallet } = this.#kernel
      logFault('ledger_went_back', new Error(message), { object: owner.object })
      await retried(async () => control(env).closeWallet(wallet, message))
    },
  }

  constructor(kernel: LedgerKernel, parts: Parts) {
    this.#kernel = kernel
    this.#parts = parts
  }

  /**
   * Sends the wallet's position to D1 now, even if D1 has it. Sends none for a wallet whose chips have never moved:
   * such wallets are free, and the count of the bankroll reads every position each minute. If D1 knows an entry that
   * the journal lacks, the object was restored to an earlier time, so it has the wallet closed instead.
   */
  async project(): Promise<void> {
    const position = this.position()
    if (!position) return
    const { env, wallet } = this.#kernel
    const listed = await findPosition(env.DB, wallet)
    if (listed && !(await this.#has(listed))) this.#reportLost(listed.version)
    else if (listed || this.#hasEverMoved(position)) await savePosition(env.DB, position)
  }

  /** Reads the newest entries too: credits that were all rolled back leave no other trace but belong in the books. */
  #hasEverMoved(position: Position): boolean {
    if (position.hasDeposited || hasMoved(position)) return true
    for (const { before } of this.#kernel.journal.newest(MOST_LOOKED_AT))
      if (hasMoved(before)) return true
    return false
  }

  async #has({ version: seq, headHash: hash }: Pick<Position, 'version' | 'headHash'>) {
    const has = await hasEntry(this.#kernel, this.#parts.archive, { seq, hash })
    if (typeof has === 'object') throw new Error(has.error.message)
    return has
  }

  /**
   * Stores the message first, which only the current instance can do. A superseded instance still running lacks newer
   * entries, and must not report them as lost.
   */
  #reportLost(version: number): void {
    const { clock, journal, outbox } = this.#kernel
    if (outbox.has(WENT_BACK)) return
    const { seq } = journal.latest()
    // The number of the latest entry makes each report another act: the wallet may have been opened since the last.
    const message = `The ledger ends at entry ${seq}, but D1 has ${seq < version ? '' : 'another '}entry ${version}.`
    this.#kernel.transact(() => outbox.add({ kind: WENT_BACK, payload: message }, clock.now()))
    this.#kernel.wake()
  }

  /**
   * Returns the wallet's position now; null if the ledger isn't open.
   * @param listed the version that D1 is known to have: the wallet is closed if the journal ends before it
   */
  position(listed = 0): Position | null {
    if (!this.#kernel.isOpen) return null
    const { journal, wallet, clock } = this.#kernel
    const { seq: version, hash: headHash, balances, totals } = journal.latest()
    if (version < listed) this.#reportLost(listed)
    const { bets, vaultTransactions, withdrawals } = this.#parts
    return {
      wallet,
      version,
      headHash,
      balances,
      totals,
      unresolved: bets.open.length > 0,
      hasDeposited: wallet !== HOUSE && vaultTransactions.hasAny(),
      ...withdrawals.standing(),
      at: clock.now(),
      safeguards: safeguardsOf(this.#parts),
    }
  }

  /** Sends the feed all of the wallet's plays that it keeps, again. */
  async sendPlays(): Promise<void> {
    if (!this.#kernel.isOpen) return
    const { plays, archive } = this.#parts
    const found: StoredPlay[] = []
    // One at a time, because they may be in many segments of the archive.
    for (const nonce of plays.kept) {
      const play = await archive.runOrRefuse(() => plays.find(nonce))
      if (play && isRefusal(play)) throw new Error(play.error.message)
      if (play) found.push(play)
    }
    await plays.tellAgain(found)
  }
}
