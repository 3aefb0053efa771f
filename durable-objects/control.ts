import { DurableObject } from 'cloudflare:workers'
import { getAddress } from 'viem'
import { invariant } from '../src/core/invariant.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import { logFault } from '../src/log.ts'
import { ledger, reprojection, retried } from '../src/objects.ts'
import { actText, checkAct, type Act, type ActResult, type KeptAct } from '../src/operator/act.ts'
import { Kernel } from './kernel/kernel.ts'
import type { Stored } from './kernel/stored.ts'

/** The journal of the owner's acts; `result` is null while an act is in progress. */
const TABLES = `
  CREATE TABLE acts (
    vault TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    act TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    result TEXT,
    PRIMARY KEY (vault, nonce)
  ) STRICT;
`

/** The caller's request carries out its act; the alarm takes over after this. */
const EAGER_DELIVERY_MS = 10_000

/** The operators' orders: each act of a vault's owner, in order, with its result. */
export class Control extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: { id: 'acts', sql: TABLES },
        deliver: { act: (payload) => this.#deliver(payload) },
      },
      this.#kernel.outbox,
    ])
    this.#kernel.open()
  }

  /** Returns the nonce of the owner's next act on a vault. */
  async nextNonce(vaultId: string): Promise<number> {
    return this.#next(vaultId)
  }

  /**
   * Journals an act and carries it out. The caller has checked its signature. Repeating an act returns
   * its result. If another object doesn't answer, the act is carried out later.
   */
  async carryOut(vaultId: string, act: Act): Promise<KeptAct | Refusal> {
    const earlier = this.#find(vaultId, act.nonce)
    const expected = this.#next(vaultId)
    if (earlier) {
      return actText(earlier) === actText(act)
        ? earlier
        : refuse('nonce_mismatch', 'This nonce was used for another act.', { expected })
    }
    const now = this.#kernel.clock.now()
    const refusal = checkAct(act, expected, now)
    if (refusal) return refusal
    const payload = JSON.stringify({ vaultId, nonce: act.nonce })
    const messageId = this.#kernel.transact(() => {
      this.#sql.exec(
        `INSERT INTO acts (vault, nonce, act, target, reason, expires_at, at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[vaultId, act.nonce, act.act, act.target, act.reason, act.expiresAt, now],
      )
      return this.#kernel.outbox.add({ kind: 'act', payload }, now + EAGER_DELIVERY_MS)
    })
    this.#kernel.alarm.wakeBy(now + EAGER_DELIVERY_MS, now)
    try {
      await this.#deliver(payload)
      this.#kernel.outbox.markDelivered(messageId)
    } catch (fault) {
      logFault('owner_act_delayed', fault, { nonce: act.nonce })
    }
    return this.#kept(vaultId, act.nonce)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }

  async #deliver(payload: string): Promise<void> {
    const { vaultId, nonce } = JSON.parse(payload) as { vaultId: string; nonce: number }
    const kept = this.#kept(vaultId, nonce)
    // If it is delivered again after a restart, it must not affect anything newer.
    if (kept.result) return
    const result = await this.#do(vaultId, kept, `${vaultId}:${nonce}`)
    this.#sql.exec(
      'UPDATE acts SET result = ? WHERE vault = ? AND nonce = ?',
      ...[JSON.stringify(result), vaultId, nonce],
    )
  }

  async #do(vaultId: string, { act, target }: KeptAct, actId: string): Promise<ActResult> {
    switch (act) {
      case 'unfreeze': {
        const count = await ledger(this.env, getAddress(target)).unfreeze(actId)
        return count > 0
          ? done(`Deposits written off: ${count}. Withdrawals continue.`)
          : notDone('This wallet is not frozen.')
      }
      case 'confirm-withdrawal':
        return this.#resolve(vaultId, target, 'confirmed', actId)
      case 'release-withdrawal':
        return this.#resolve(vaultId, target, 'failed', actId)
      case 'reproject': {
        await reprojection(this.env).start(target === 'everything' ? 'everything' : 'positions')
        return done(
          'All objects are sending their data again. Bets resume once the books are complete.',
        )
      }
    }
  }

  async #resolve(
    vaultId: string,
    target: string,
    outcome: 'confirmed' | 'failed',
    actId: string,
  ): Promise<ActResult> {
    const [wallet = '', nonce] = target.split(':')
    const refusal = await retried(async () =>
      ledger(this.env, getAddress(wallet)).resolveWithdrawal(
        vaultId,
        Number(nonce),
        outcome,
        actId,
      ),
    )
    if (refusal) return notDone(refusal.error.message)
    return done(`The withdrawal is ${outcome === 'failed' ? 'released' : 'confirmed'}.`)
  }

  #next(vaultId: string): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM acts WHERE vault = ?',
        vaultId,
      )
      .one().next
  }

  #kept(vaultId: string, nonce: number): KeptAct {
    const kept = this.#find(vaultId, nonce)
    invariant(kept, `act ${nonce} is in the journal`)
    return kept
  }

  #find(vaultId: string, nonce: number): KeptAct | null {
    const [row] = this.#sql
      .exec<Stored<KeptAct>>(
        `SELECT nonce, target, reason, at, act, expires_at AS expiresAt, result FROM acts
         WHERE vault = ? AND nonce = ?`,
        ...[vaultId, nonce],
      )
      .toArray()
    return row
      ? { ...row, result: row.result === null ? null : (JSON.parse(row.result) as ActResult) }
      : null
  }
}

function done(message: string): ActResult {
  return { isDone: true, message }
}

function notDone(message: string): ActResult {
  return { isDone: false, message }
}
