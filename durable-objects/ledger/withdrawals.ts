import { relayer } from '../../src/calls/objects.ts'
import { min } from '../../src/core/bigint.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import type { Posting } from '../../src/ledger/accounts.ts'
import { entryRef, type EntryRef } from '../../src/ledger/journal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { refusedWithoutChips } from '../../src/ledger/refusals.ts'
import {
  checkWithdrawal,
  differencePostings,
  hasEnded,
  isSmall,
  mayBecome,
  NEW_WALLET,
  setAsidePostings,
  statusPostings,
  wrongNonce,
  type VaultPayout,
  type WithdrawalProgress,
  type Resolution,
  type UnrecordedPayout,
  type Withdrawal,
  type WithdrawalRequest,
  type WithdrawalStatus,
} from '../../src/ledger/withdrawal.ts'
import { logFault } from '../../src/log.ts'
import { TOKENS, type Token } from '../../src/money/token.ts'
import { checkWithdrawals } from '../../src/operator/modes.ts'
import type { KnownWithdrawal, WithdrawalOrder } from '../../src/relayer/payout.ts'
import type { Gate } from './gate.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Quarantine } from './quarantine.ts'
import type { VaultTransactions } from './vault-transactions.ts'
import { WithdrawalStore, type Row } from './withdrawal-store.ts'

/** A withdrawal in progress is sent to the relayer this often, in case a restore has made it forget. */
const RESEND_MS = 600_000

/** The withdrawals of one wallet: chips reserved until the chain has paid them or never can. */
export class Withdrawals implements LedgerPart {
  readonly deliver = { payout: (payload: string) => this.#send(payload) }
  readonly #store: WithdrawalStore
  readonly #kernel: LedgerKernel
  readonly #gate: Gate
  readonly #vaultTransactions: VaultTransactions
  readonly #quarantine: Quarantine

  constructor(
    kernel: LedgerKernel,
    parts: { gate: Gate; vaultTransactions: VaultTransactions; quarantine: Quarantine },
  ) {
    this.#store = new WithdrawalStore(kernel.storage.sql)
    this.#kernel = kernel
    this.#gate = parts.gate
    this.#vaultTransactions = parts.vaultTransactions
    this.#quarantine = parts.quarantine
  }

  get migration() {
    return this.#store.migration
  }

  audit(): string | null {
    const balances = this.#kernel.journal.balances()
    const wrong = TOKENS.find(
      (token) => balances[token].withdrawing !== this.#store.heldTotal(token),
    )
    return wrong ? `withdrawing of ${wrong} is not what is in progress` : null
  }

  forget(): void {
    this.#store.forget()
  }

  /** Returns the nonce of the next withdrawal from a vault. */
  nextNonce(vaultId: string): number {
    return this.#store.nextNonce(vaultId)
  }

  /** Returns the nonce of the next withdrawal from the configured vault, and how many before it have not ended. */
  standing(): { nextNonce: number; openWithdrawals: number } {
    const { vault } = this.#kernel
    return vault ? this.#store.standing(vault.id) : { nextNonce: 0, openWithdrawals: 0 }
  }

  /** Returns the newest withdrawals from the configured vault, the newest first. */
  newest(limit: number): Withdrawal[] {
    const { vault } = this.#kernel
    return vault ? this.#store.newest(vault.id, limit).map(shown) : []
  }

  /** Returns whether a nonce that may have been paid has nothing booked: no withdrawal, or a refunded one. */
  isUnbooked(vaultId: string, nonce: number): boolean {
    const row = this.find(vaultId, nonce)
    return row === null || (row.status === 'failed' && row.bookedBy === null)
  }

  /** Returns whether the newest withdrawal from a vault has not ended. */
  isUnderWay(vaultId: string): boolean {
    return this.#store.isUnderWay(vaultId)
  }

  /** Accepts a withdrawal, or returns the status of an earlier one with the same nonce. */
  withdraw(request: WithdrawalRequest): Withdrawal | Refusal {
    const { vault } = this.#kernel
    invariant(vault, 'a withdrawal requires a configured vault')
    const at = this.#kernel.clock.now()
    const deskRefusal = () =>
      checkWithdrawals(request.modes, this.#kernel.wallet, at) ?? this.#gate.frozen()
    if (!this.#kernel.isOpen)
      return deskRefusal() ?? refusedWithoutChips(checkWithdrawal(request, NEW_WALLET))
    const next = this.nextNonce(vault.id)
    const { token, amountWei, nonce, signature, terms } = request
    const earlier = nonce < next ? this.find(vault.id, nonce) : null
    if (earlier) {
      const isAsked = earlier.signature !== ''
      const isSame =
        isAsked && earlier.token === token && earlier.amountWei === amountWei.toString()
      return isSame ? shown(earlier) : wrongNonce(next)
    }
    const { journal, outbox } = this.#kernel
    const { chips, quarantine, in_play: inPlay } = journal.balances()[token]
    const refusal =
      deskRefusal() ??
      checkWithdrawal(request, {
        next,
        available: chips + quarantine,
        inPlay,
        isUnderWay: this.isUnderWay(vault.id),
        sinceSmallMs: this.#store.sinceSmallMs(vault.id, token, at),
        hasMissingDeposit: this.#vaultTransactions.hasMissingDeposit(),
      })
    if (refusal) return refusal
    const amount = amountWei.toString()
    const begun = { nonce, token, amountWei: amount, status: 'pending', txHash: null } as const
    const small = isSmall(amountWei, request.min)
    const quarantinedWei = min(quarantine, amountWei)
    const text = requestText(token, amount, { signature, small })
    if (quarantinedWei > 0n) this.#quarantine.prepare()
    this.#kernel.commit(at, () => {
      journal.record(
        { id: operationId('withdraw', vault.id, nonce), request: text, at, terms },
        { postings: setAsidePostings(token, amountWei, quarantinedWei), result: 'pending' },
      )
      if (quarantinedWei > 0n) this.#quarantine.record(vault.id, nonce, quarantinedWei)
      this.#store.add(vault.id, { ...begun, signature, version: 0, small: small ? 1 : 0 }, at)
      outbox.add({ kind: 'payout', payload: JSON.stringify({ vaultId: vault.id, nonce }) }, at)
    })
    return begun
  }

  /** Returns this ledger's record under a withdrawal's nonce, or null. */
  known({ vaultId, nonce, token, amountWei }: WithdrawalOrder) {
    const row = this.find(vaultId, nonce)
    const isOther = row?.token !== token || row.amountWei !== amountWei
    return row && { isOther, hasEnded: hasEnded(row.status) }
  }

  /**
   * Ends a withdrawal whose nonce was used up by another one, which this ledger has lost. The house bears the other
   * one's payout until the balances are restored.
   */
  endOther({ order, outcome, txHash }: KnownWithdrawal, actId: string): void {
    const { vaultId, nonce, token, amountWei } = order
    const paid = outcome === 'confirmed' ? { token, amountWei } : null
    this.#resolve({ vaultId, nonce, outcome: 'failed', actId }, paid, txHash)
  }

  /**
   * Records an ended withdrawal that this ledger has lost, in its caller's transaction: its nonce is used up on the
   * chain. One that was not paid moves nothing.
   */
  applyAgain({ order, outcome, txHash, version }: KnownWithdrawal, at: number): void {
    invariant(outcome !== null, 'a lost withdrawal has ended')
    const { vaultId, nonce, token, amountWei, signature, isSmall: small } = order
    const { journal } = this.#kernel
    const isPaid = outcome === 'confirmed'
    const request = requestText(token, amountWei, { signature, small })
    const change = JSON.stringify([outcome, txHash])
    const held = isPaid ? setAsidePostings(token, BigInt(amountWei), 0n) : []
    const paid = isPaid ? statusPostings(order, 'pending', outcome) : []
    journal.record(
      { id: operationId('withdraw', vaultId, nonce), request, at },
      { postings: held, result: 'pending' },
    )
    journal.record(
      { id: operationId('withdrawal', vaultId, nonce, version), request: change, at },
      { postings: paid, result: outcome },
    )
    const ended = { nonce, token, amountWei, status: outcome, txHash }
    this.#store.add(vaultId, { ...ended, signature, version, small: small ? 1 : 0 }, at)
  }

  /** Returns where the acceptance of a withdrawal from the configured vault stands in the journal. */
  entryOf(nonce: number): EntryRef {
    const { vault, journal } = this.#kernel
    const accepted = vault && journal.find(operationId('withdraw', vault.id, nonce))
    invariant(accepted, `withdrawal ${nonce} is in the journal`)
    return entryRef(accepted)
  }

  /** Sends a withdrawal to the relayer, and again at intervals until it has ended. Safe to repeat. */
  async #send(payload: string): Promise<void> {
    const { vaultId, nonce } = JSON.parse(payload) as { vaultId: string; nonce: number }
    if (hasEnded(this.#store.get(vaultId, nonce).status)) return
    await relayerOf(this.#kernel.env, vaultId).pay(this.order(vaultId, nonce))
    if (hasEnded(this.#store.get(vaultId, nonce).status)) return
    const now = this.#kernel.clock.now()
    this.#kernel.outbox.addAgain({ kind: 'payout', payload }, now + RESEND_MS, now)
  }

  /** Ends a withdrawal by an operators' act. The house bears anything the vault paid instead. */
  end(act: Resolution, paid: VaultPayout | null): void {
    this.#resolve(act, paid, this.#store.get(act.vaultId, act.nonce).txHash)
  }

  #resolve(
    { vaultId, nonce, outcome, actId }: Resolution,
    paid: VaultPayout | null,
    txHash: string | null,
  ) {
    const row = this.#store.get(vaultId, nonce)
    this.#become(vaultId, nonce, {
      status: outcome,
      txHash,
      // A payout on the chain after a later reorganisation can still be booked.
      ...(paid && { bookedBy: actId }),
      operation: operationId('resolve', vaultId, nonce, actId),
      difference: differencePostings(row, outcome, paid),
    })
  }

  /** Accepts the relayer's report on a withdrawal. Safe to repeat; the newest report counts. */
  progress(vaultId: string, nonce: number, report: WithdrawalProgress): void {
    const { status, txHash, version, nextNonce } = report
    const row = this.#store.get(vaultId, nonce)
    if (version <= row.version) return
    const from = row.status
    if (from === status && row.txHash === txHash) {
      // An older report that comes later changes nothing.
      return this.#store.change(vaultId, nonce, { ...row, version })
    }
    // A refund stands, and so does a payout that an act has booked. A report without an end, or with the same end,
    // doesn't contradict it.
    const isBooked = row.bookedBy !== null
    if ((isBooked || from === 'failed') && !hasEnded(status)) return
    if (isBooked && from === status) return
    if (isBooked || !mayBecome(from, status)) {
      const fault = new Error(`a withdrawal cannot go from ${from} to ${status}`)
      const { object } = this.#kernel.owner
      return logFault('ended_withdrawal_contradicted', fault, { object, vaultId, nonce })
    }
    const operation = operationId('withdrawal', vaultId, nonce, version)
    this.#become(vaultId, nonce, { status, txHash, operation, version, nextNonce })
  }

  #become(
    vaultId: string,
    nonce: number,
    change: {
      status: WithdrawalStatus
      txHash: string | null
      /** The id of the journal entry. */
      operation: string
      version?: number
      bookedBy?: string
      /** The amount the house bears. */
      difference?: Posting[]
      /** The player's in the vault. */
      nextNonce?: number | undefined
    },
  ): void {
    const row = this.#store.get(vaultId, nonce)
    const { status, txHash } = change
    const at = this.#kernel.clock.now()
    const postings = statusPostings(
      row,
      row.status,
      status,
      this.#quarantine.partOf(vaultId, nonce),
    )
    this.#kernel.commit(at, () => {
      this.#kernel.journal.record(
        { id: change.operation, request: JSON.stringify([status, txHash]), at },
        { postings: [...postings, ...(change.difference ?? [])], result: status },
      )
      this.#store.change(vaultId, nonce, {
        status,
        txHash,
        version: change.version ?? row.version,
        bookedBy: change.bookedBy ?? row.bookedBy,
      })
      this.#store.skipTo(vaultId, change.nextNonce, row.token, at)
    })
  }

  /** Records, by an operators' act, the vault's payout with a nonce that {@link isUnbooked}. The house bears it. */
  bookPaid(
    { vaultId, nonce, actId }: Resolution,
    { token, amountWei, txHash, nextNonce }: UnrecordedPayout,
  ): void {
    const at = this.#kernel.clock.now()
    const paid = { token, amountWei }
    const operation = {
      id: operationId('resolve', vaultId, nonce, actId),
      request: JSON.stringify(['confirmed', txHash]),
      at,
    }
    this.#kernel.commit(at, () => {
      this.#kernel.journal.record(operation, {
        postings: differencePostings(paid, 'failed', paid),
        result: 'confirmed',
      })
      this.#store.addPaid(vaultId, { nonce, token, amountWei, txHash }, actId, at)
      this.#store.skipTo(vaultId, nextNonce, token, at)
    })
  }

  /** Returns the order that the relayer is to pay. */
  order(vaultId: string, nonce: number): WithdrawalOrder {
    const { token, amountWei, signature, small } = this.#store.get(vaultId, nonce)
    const player = this.#kernel.wallet
    const paid = { vaultId, player, token, amountWei, nonce, signature }
    return { kind: 'withdrawal', ...paid, isSmall: small === 1 }
  }

  /** Returns a withdrawal; null without one. */
  find(vaultId: string, nonce: number): Row | null {
    return this.#store.find(vaultId, nonce)
  }
}

/** Returns the relayer of a vault's chain. */
export function relayerOf(env: Env, vaultId: string) {
  return relayer(env, Number(vaultId.split(':', 1)[0]))
}

/** Returns a withdrawal's request as the journal keeps it. */
function requestText(
  token: Token,
  amountWei: string,
  { signature, small }: { signature: string; small: boolean },
): string {
  return JSON.stringify([token, amountWei, signature, ...(small ? ['small'] : [])])
}

function shown({ nonce, token, amountWei, status, txHash }: Row): Withdrawal {
  return { nonce, token, amountWei, status, txHash }
}
