import { min } from '../../../src/core/bigint.ts'
import { MINUTE_MS } from '../../../src/core/utc-day.ts'
import {
  emptyBalances,
  HOUSE,
  post,
  postingsOf,
  type Balances,
  type Posting,
} from '../../../src/ledger/accounts.ts'
import { movementPostings } from '../../../src/ledger/deposit.ts'
import { transferPostings } from '../../../src/ledger/transfer.ts'
import { setAsidePostings, statusPostings } from '../../../src/ledger/withdrawal.ts'
import { perToken, type Token } from '../../../src/money/token.ts'
import type { AccountPosition } from '../../../src/reconciliation/in-flight.ts'
import {
  reconcile,
  type LedgerSums,
  type ReconciliationInput,
  type ReconciliationResult,
} from '../../../src/reconciliation/reconcile.ts'
import {
  AccountShare,
  addEvents,
  IN_FLIGHT_MS,
  netOf,
  noTotals,
  type VaultEventKind,
  type WatchedEvent,
} from '../../../src/vault/events.ts'

const FEE_BPS = 50
/** The watch lists an account with a log that is not older. */
const SETTLED_AFTER_MS = 1_800_000

/** A withdrawal that its ledger does not know to be paid. */
interface Pending {
  token: Token
  amountWei: bigint
  nonce: number
  isPaid: boolean
}

/** A ledger's position as D1 has it. */
interface Sent {
  balances: Balances
  nextNonce: number
  openWithdrawals: number
  at: number
}

/** A vault, its watch, ledgers and D1's positions, which move by the service's own rules. */
export class World {
  now = 0
  readonly logs: WatchedEvent[] = []
  readonly held = perToken(() => 0n)
  readonly ledgers = new Map<string, Balances>()
  readonly positions = new Map<string, Sent>()
  readonly pending = new Map<string, Pending>()
  readonly #nextNonces = new Map<string, number>()
  readonly #movedAt = new Map<string, number>()
  #differing: readonly string[] = []

  /** Moves something between accounts of a ledger, whose position goes out within five minutes. */
  move(wallet: string, postings: readonly Posting[]): void {
    this.ledgers.set(wallet, post(this.balances(wallet), postings))
    if (!this.#movedAt.has(wallet)) this.#movedAt.set(wallet, this.now)
  }

  balances(wallet: string): Balances {
    return this.ledgers.get(wallet) ?? emptyBalances()
  }

  nextNonce(wallet: string): number {
    return this.#nextNonces.get(wallet) ?? 0
  }

  /** Moves tokens in or out of the vault and lets its watch see the log. */
  see(
    kind: VaultEventKind,
    account: string,
    token: Token,
    amountWei: bigint,
    nonce: number | null = null,
  ): WatchedEvent {
    const isIn = kind === 'deposited' || kind === 'funded'
    this.held[token] += isIn ? amountWei : -amountWei
    const log = {
      txHash: `0x${this.logs.length}`,
      position: 0,
      block: this.now,
      blockHash: '0x',
      kind,
      account,
      token,
      amountWei,
      nonce,
      seenAt: this.now,
      isRepeated: false,
      // The relayer reports a payout.
      toldAt: kind === 'withdrawn' ? this.now : null,
    }
    this.logs.push(log)
    return log
  }

  /** Has a ledger credit what the watch saw. */
  tell(log: WatchedEvent): void {
    const { kind, account, token, amountWei } = log
    log.toldAt = this.now
    const movement = { kind: kind as 'deposited', position: 0, token: token as Token, amountWei }
    this.move(account, movementPostings(movement, FEE_BPS))
  }

  deposit(wallet: string, token: Token, amountWei: bigint): void {
    this.tell(this.see('deposited', wallet, token, amountWei))
  }

  fund(token: Token, amountWei: bigint): void {
    this.tell(this.see('funded', HOUSE, token, amountWei))
  }

  /** Sets chips aside for a withdrawal: at most those there are. One at a time. */
  withdraw(wallet: string, token: Token, wantedWei: bigint): void {
    const amountWei = min(wantedWei, this.balances(wallet)[token].chips)
    if (amountWei === 0n || this.pending.has(wallet)) return
    const nonce = this.nextNonce(wallet)
    this.#nextNonces.set(wallet, nonce + 1)
    this.pending.set(wallet, { token, amountWei, nonce, isPaid: false })
    this.move(wallet, setAsidePostings(token, amountWei, 0n))
  }

  /** Has the vault pay a withdrawal. */
  pay(wallet: string): void {
    const pending = this.pending.get(wallet)
    if (!pending || pending.isPaid) return
    pending.isPaid = true
    this.see('withdrawn', wallet, pending.token, pending.amountWei, pending.nonce)
  }

  /** Has the relayer report the payment to the ledger. */
  confirm(wallet: string): void {
    const pending = this.pending.get(wallet)
    if (!pending?.isPaid) return
    const { token, amountWei } = pending
    const order = { token, amountWei: amountWei.toString() }
    this.move(wallet, statusPostings(order, 'submitted', 'confirmed'))
    this.pending.delete(wallet)
  }

  /** Plays with at most the chips there are. */
  play(wallet: string, token: Token, wantedWei: bigint, payoutWei: bigint): void {
    const stakeWei = min(wantedWei, this.balances(wallet)[token].chips)
    const postings = postingsOf(token, ['chips', 'house', stakeWei], ['house', 'chips', payoutWei])
    this.move(wallet, postings)
  }

  /** A partner's debit of at most the chips there are, or its credit. */
  transfer(wallet: string, token: Token, amountWei: bigint): void {
    const { chips } = this.balances(wallet)[token]
    this.move(wallet, transferPostings(token, amountWei < -chips ? -chips : amountWei))
  }

  sendPosition(wallet: string): void {
    this.positions.set(wallet, {
      balances: this.balances(wallet),
      nextNonce: this.nextNonce(wallet),
      openWithdrawals: this.pending.has(wallet) ? 1 : 0,
      at: this.now,
    })
    this.#movedAt.delete(wallet)
  }

  /** Passes a time; every ledger sends its position in time. */
  pass(ms: number): void {
    this.now += ms
    for (const [wallet, at] of this.#movedAt) {
      if (this.now - at >= IN_FLIGHT_MS / 2) this.sendPosition(wallet)
    }
  }

  /** Passes minutes, each with a reconciliation. Returns what the last one found. */
  minutes(count: number): ReconciliationResult {
    let found = this.reconcile()
    for (let minute = 0; minute < count; minute++) {
      this.pass(MINUTE_MS)
      found = this.reconcile()
    }
    return found
  }

  reconcile(): ReconciliationResult {
    const settledWei = perToken(() => 7n)
    const found = reconcile(this.reading(), settledWei)
    this.#differing = found.differing
    return found
  }

  reading(): ReconciliationInput {
    const isListed = ({ seenAt, toldAt }: WatchedEvent) =>
      toldAt === null || this.now - Math.max(seenAt, toldAt) < SETTLED_AFTER_MS
    const listed = this.logs.filter(isListed).map(({ account }) => account)
    const wallets = [...new Set([HOUSE, ...this.pending.keys(), ...this.#differing, ...listed])]
    return {
      held: this.held,
      net: netOf(addEvents(noTotals(), this.logs)),
      sums: perToken((token) => this.#sums(token)),
      accounts: wallets.map((wallet) => {
        const position = this.positions.get(wallet)
        const share = new AccountShare(wallet, { block: -1, net: perToken(() => 0n) }, this.now)
        for (const log of this.logs) if (log.account === wallet) share.add(log)
        return {
          ...share.events(),
          position: position ? shown(position) : null,
        }
      }),
    }
  }

  #sums(token: Token): LedgerSums {
    const sums = { owedWei: 0n, houseWei: 0n, partnerWei: 0n, faucetWei: 0n, vaultWei: 0n }
    for (const { balances } of this.positions.values()) {
      const { chips, in_play: inPlay, withdrawing, quarantine, ...others } = balances[token]
      sums.owedWei += chips + inPlay + withdrawing + quarantine
      sums.houseWei += others.house + others.fees
      sums.partnerWei += others.partner
      sums.faucetWei += others.faucet
      sums.vaultWei -= others.vault
    }
    return sums
  }
}

function shown({ balances, ...rest }: Sent): AccountPosition {
  return {
    ...rest,
    vault: perToken((token) => -balances[token].vault),
    withdrawing: perToken((token) => balances[token].withdrawing),
  }
}
