import { createHash } from 'node:crypto'
import { keccak256, parseTransaction, type Hex, type TransactionSerializedEIP1559 } from 'viem'
import { WALLETS } from '../wallets.ts'
import type { World } from '../world/world.ts'
import { CHAIN } from './addresses.ts'
import { applyToBoxes, batchTexts, BOXES, type BoxCall, type InBlock } from './box-state.ts'
import { Consents } from './consents.ts'
import { BLOCK_MS, CONFIRMATIONS, IDLE_BLOCK_MS, depthOf, planConfirmation } from './depths.ts'
import { Mempool } from './mempool.ts'
import { burnIn, gasOf, isRefused, paymentIn, type Running, type VaultPayment } from './payments.ts'
import { SentPayments } from './sent-payments.ts'
import {
  apply,
  counted,
  FRESH,
  type ChainCall,
  type ChainState,
  type Effect,
  type RawLog,
  holdings,
} from './vault-state.ts'
import { drawCodes, type WalletCode } from './wallet-code.ts'

/** A transaction. */
export interface Tx {
  hash: Hex
  from: string
  nonce: number
  maxFeePerGas: bigint
  /** Its gas limit. */
  gas: number
  call: ChainCall | BoxCall
}

/** A transaction in a block. */
export interface Mined {
  tx: Tx
  isSuccess: boolean
  gasUsed: number
  logs: RawLog[]
}

export interface Block {
  number: number
  hash: Hex
  /** Unix seconds. */
  timestamp: number
  baseFee: bigint
  mined: Mined[]
  /** The contracts after it. */
  state: ChainState
}

const GWEI = 1_000_000_000n
const MAX_NODES = 3
const MAX_LAG = 8
/** What a transaction of boxes takes, about. */
const BOX_GAS = 150_000
/** Enough for any call of a player or the owner. */
const PLENTY_OF_GAS = 1_000_000
/** The players' wallets. The page that bets automatically has another one, which needs its chips and has no code. */
const PLAYERS = WALLETS.slice(0, 4)
/** The share of dropped transactions that nodes forget, that of unconfirmed payments, and that of the relayer's. */
const GONE = 0.3
const YOUNG_GONE = 0.6
const RELAYED_GONE = 0.5
/** The share of the relayer's dropped transactions, and of its burns, whose nonces a third party with its key uses. */
const TAKEN = 0.2
const BURNS_TAKEN = 0.7
/** The share of histories in which confirmed deposits may never come back, and of the dropped ones that don't. */
const FORGETFUL = 0.1
const FORGETFUL_OF_THEME = 0.9
const FORGOTTEN = 0.4
/** How long the nodes do without a payment that they have forgotten. In milliseconds. */
const LOST_MS = [1_000, 40_000] as const

/** The chain as the network agrees on it, and nodes that each know some of it. */
export class Chain {
  /** The canonical blocks, by number. */
  blocks: Block[] = []
  /** Each node's view: perhaps behind, perhaps still on a branch that the others have left. */
  readonly nodes: Block[][]
  readonly mempool: Mempool
  readonly consents = new Consents()
  readonly payments = new SentPayments()
  /** What the service has logged about missing deposits and payments. */
  readonly alerts: string[] = []
  /** Payments that all nodes have forgotten for now. */
  readonly #lost = new Map<Hex, Tx>()
  /**
   * Confirmed deposits, and transactions of the boxes' owner, that a reorganisation has dropped. The simulation never
   * lets them fail when they are mined again.
   */
  readonly #final = new Set<Hex>()
  /** All confirmed transactions that a reorganisation has dropped. */
  readonly #confirmed = new Set<Hex>()
  /**
   * Confirmed deposits that a reorganisation has dropped permanently: their senders have sent something else instead.
   */
  readonly gone: Tx[] = []
  /** What the public log may have of batches that were confirmed when a reorganisation dropped them. */
  readonly droppedBatches = new Set<string>()
  /** Confirmed burns that a reorganisation has dropped, as player and nonce. */
  readonly #undoneBurns = new Set<string>()
  /** Whether a third party has the relayer's key. */
  isKeyLeaked = false
  /** Whether players have stopped, and faults have ended. */
  isAtRest = false
  readonly #isForgetful: boolean
  readonly #world: World
  readonly #first: ChainState
  #forks = 0
  /** How many blocks are too old to be replaced. */
  #settled = 1

  constructor(world: World) {
    this.#world = world
    const count = world.random.between('nodes', 1, MAX_NODES)
    this.mempool = new Mempool(world, count)
    const isOfContracts = world.faults.theme?.isOfContracts ?? false
    const codes = drawCodes(world.random, PLAYERS, isOfContracts)
    this.#first = { ...FRESH, codes }
    const share = world.faults.theme?.isOfLostDeposits ? FORGETFUL_OF_THEME : FORGETFUL
    this.#isForgetful = world.random.chance('deposits may never come back', share)
    this.#mine()
    this.nodes = Array.from({ length: count }, () => this.blocks)
  }

  /** Starts mining. */
  run(): void {
    const isIdle = this.isAtRest && this.mempool.size === 0
    this.#world.scheduler.after(isIdle ? IDLE_BLOCK_MS : BLOCK_MS, 'block', null, () => {
      const { random, faults } = this.#world
      const crossing = faults.crossing('block')
      const fault = faults.at('chain', crossing, ['reorganised', 'lagging'])
      if (fault === 'reorganised')
        this.#reorganise(depthOf(this.#world, crossing, this.blocks, this.#settled))
      this.#mine()
      planConfirmation(this.#world, this.head)
      this.nodes.forEach((_, node) => {
        // At least one node follows the chain closely.
        const isLagging = fault === 'lagging' && node > 0
        const lag = isLagging ? random.between(`${crossing} lag ${node}`, 1, MAX_LAG) : 0
        const view = this.blocks.slice(0, Math.max(1, this.blocks.length - lag))
        const isStuck = isLagging && random.chance(`${crossing} stuck ${node}`, 0.5)
        if (!isStuck) this.nodes[node] = view
      })
      this.run()
    })
  }

  /** Makes all blocks too old to be replaced, and known to all nodes, as after a day. */
  settle(): void {
    this.#settled = this.blocks.length
    this.nodes.fill(this.blocks)
  }

  get head(): Block {
    const head = this.blocks.at(-1)
    if (!head) throw new Error('the chain has no block')
    return head
  }

  /**
   * Takes a transaction that a player or the owner has sent. Returns its hash.
   * @param nonce by default the first that no transaction of the account has
   */
  send(from: string, call: Tx['call'], id: string, nonce = this.#freeNonce(from)): Hex {
    const hash = hashOf(`tx ${id}`)
    const terms = { maxFeePerGas: 10_000n * GWEI, gas: PLENTY_OF_GAS }
    const tx = { hash, from, nonce, ...terms, call }
    if (
      isPayment(tx) &&
      this.#world.faults.isOn &&
      this.#world.random.chance(`${hash} is lost`, 0.1)
    )
      this.#lose(tx, false)
    else this.mempool.send(tx, this.mempool.anyNode(`${hash} is sent to`))
    return hash
  }

  #freeNonce(from: string): number {
    return Math.max(
      this.head.state.accounts.get(from) ?? 0,
      ...this.waitingOf(from).map(({ nonce }) => nonce + 1),
    )
  }

  /**
   * Payments whose confirmed burns the chain has dropped: it may carry them out although their chips have come back.
   */
  get revived(): VaultPayment[] {
    const ids = [...this.#undoneBurns]
    const sent = this.payments.all()
    return ids.flatMap((id) => sent.find(({ player, nonce }) => id === `${player} ${nonce}`) ?? [])
  }

  /** Returns an account's transactions that are not mined, even if nodes have forgotten them for now. */
  waitingOf(from: string): Tx[] {
    return [...this.mempool.all(), ...this.#lost.values()].filter((tx) => tx.from === from)
  }

  /** Takes a signed transaction of the relayer at a node. @throws with the node's message if it refuses it */
  sendRaw(raw: Hex, relayer: string, node: number): Hex {
    const {
      nonce = 0,
      maxFeePerGas = 0n,
      gas = 0n,
      to,
      data = '0x',
    } = parseTransaction(raw as TransactionSerializedEIP1559)
    const hash = keccak256(raw)
    const used = this.nodes[node]?.at(-1)?.state.accounts.get(relayer) ?? 0
    if (nonce < used) throw new Error('nonce too low')
    if (this.mempool.at(node, hash)) throw new Error('already known')
    const call = { kind: 'relayed', to: to ?? CHAIN.vault, data } as const
    const gasLimit = Number(gas)
    const tx = { hash, from: relayer, nonce, maxFeePerGas, gas: gasLimit, call }
    this.mempool.send(tx, node)
    const payment = paymentIn(call)
    const sent = { sender: relayer, txNonce: nonce, gasLimit, sentAt: this.#world.scheduler.now }
    if (payment) this.payments.note(hash, { ...payment, ...sent })
    return hash
  }

  /** Carries out a call on top of a state, and notes whether the paid wallet's code lets it fail. */
  apply(state: ChainState, call: ChainCall, running: Running): Effect | null {
    const effect = apply(state, call, running)
    const payment = effect ? null : paymentIn(call)
    if (payment && isRefused(state, payment, running))
      this.consents.noteRefused(payment.player, payment.nonce)
    return effect
  }

  /** Returns a wallet's code now; null if it has none. */
  codeOf(wallet: string): WalletCode | null {
    return this.head.state.codes.get(wallet) ?? null
  }

  /** Returns whether a wallet is a contract, which has no key of its own. */
  isContract(wallet: string): boolean {
    return this.codeOf(wallet)?.key != null
  }

  /** Returns whether a transaction is in a block. */
  hasMined(hash: Hex): boolean {
    return this.blocks.some(({ mined }) => mined.some(({ tx }) => tx.hash === hash))
  }

  /** Whether the vault has ever been paused. */
  get wasPaused(): boolean {
    return this.head.state.pause.count > 0
  }

  #reorganise(depth: number): void {
    const kept = Math.max(this.#settled, this.blocks.length - depth)
    const dropped = this.blocks.slice(kept)
    this.#world.tell(() => `the chain drops ${dropped.length} blocks`)
    this.blocks = this.blocks.slice(0, kept)
    this.#forks++
    for (const { number, mined, state } of dropped) {
      const isFinal = kept + dropped.length - number >= CONFIRMATIONS
      if (isFinal) for (const text of batchTexts(state.boxes)) this.droppedBatches.add(text)
      for (const { tx, isSuccess } of mined) {
        const isCredited = isFinal && isSuccess && tx.call.kind === 'deposit'
        if (isCredited && this.#isForgotten(tx)) {
          this.#forget(tx)
          continue
        }
        if (isCredited || (isFinal && isSuccess && isOfOwner(tx))) this.#final.add(tx.hash)
        if (isFinal) this.#confirmed.add(tx.hash)
        const burn = isFinal && isSuccess ? burnIn(tx.call) : null
        if (burn) this.#undoneBurns.add(`${burn.player} ${burn.nonce}`)
        // A payment that was ever confirmed is never replaced: that takes more confirmations than the operator asks
        // for.
        const wasConfirmed = this.#confirmed.has(tx.hash)
        const isRelayed = tx.call.kind === 'relayed'
        const share = isRelayed ? RELAYED_GONE : isPayment(tx) && !wasConfirmed ? YOUNG_GONE : GONE
        const isGone = this.#world.random.chance(`${tx.hash} is gone ${this.#forks}`, share)
        if (this.#isTaken(tx)) this.#replace(tx)
        else if (isGone && isPayment(tx)) this.#lose(tx, wasConfirmed)
        // The relayer has to send some of its transactions again.
        else if (!isGone || !isRelayed) this.mempool.add(tx)
      }
    }
    for (let mined = 0; mined < dropped.length; mined++) this.#mine()
  }

  /** Returns whether a third party with the relayer's key uses the nonce of a dropped transaction. */
  #isTaken({ hash, call }: Tx): boolean {
    if (!this.isKeyLeaked || call.kind !== 'relayed') return false
    const share = burnIn(call) ? BURNS_TAKEN : TAKEN
    return this.#world.random.chance(`${hash} is taken from fork ${this.#forks}`, share)
  }

  #isForgotten({ hash, from }: Tx): boolean {
    if (!PLAYERS.includes(from)) return false
    const name = `${hash} never comes back from fork ${this.#forks}`
    return this.#isForgetful && this.#world.random.chance(name, FORGOTTEN)
  }

  /** Has a deposit's sender send something else in its place. */
  #forget(tx: Tx): void {
    this.#world.tell(() => `deposit ${tx.hash} is gone permanently`)
    this.gone.push(tx)
    this.#replace(tx)
  }

  #replace(tx: Tx): void {
    const call = { kind: 'transfer', to: tx.from, amount: 0n, data: '0x' } as const
    const hash = hashOf(`instead of ${tx.hash}`)
    this.mempool.add({ ...tx, hash, call: { ...call, isFunding: true } })
  }

  /** Has all nodes forget a payment for a while. Then it comes back, or its sender has replaced it. */
  #lose(tx: Tx, isFinal: boolean): void {
    const { random, scheduler } = this.#world
    const name = `the loss of ${tx.hash} at ${scheduler.now}`
    const isReplaced = !isFinal && random.chance(`${name} is permanent`, 0.4)
    this.#world.tell(() => `payment ${tx.hash} vanishes${isReplaced ? ' permanently' : ''}`)
    const call = { kind: 'transfer', to: tx.from, amount: 0n, data: '0x' } as const
    const next = isReplaced ? { ...tx, hash: hashOf(`instead of ${tx.hash}`), call } : tx
    this.#lost.set(tx.hash, tx)
    scheduler.after(random.between(name, ...LOST_MS), name, null, () => {
      this.#lost.delete(tx.hash)
      this.mempool.send(next, this.mempool.anyNode(`${next.hash} is sent to`))
    })
  }

  /** Carries out a transaction in a block. Returns its effect, if it has one, and the gas that it used. */
  #carryOut(
    state: ChainState,
    { call, gas }: Tx,
    block: InBlock,
  ): { effect: Effect | null; used: number } {
    if (call.kind === 'boxes') {
      const done = applyToBoxes(state.boxes, call, block)
      const effect = done && { state: { ...state, boxes: done.boxes }, logs: done.logs }
      return { effect, used: BOX_GAS }
    }
    const { used } = gasOf(state, call, 'inBlocks')
    return { effect: this.apply(state, call, { where: 'inBlocks', gas }), used }
  }

  #mine(): void {
    const { scheduler, random, faults } = this.#world
    const number = this.blocks.length
    const name = `block ${number} of fork ${this.#forks}`
    const isDear = faults.isOn && random.chance(`${name} is dear`, 0.1)
    const baseFee = GWEI * BigInt(isDear ? random.between(`${name} fee`, 20, 300) : 1)
    const parent = this.blocks.at(-1)
    const block = {
      chainId: CHAIN.chainId,
      number,
      parent: parent?.hash ?? hashOf('nothing'),
      prevrandao: hashOf(`${name} prevrandao`),
    }
    let state = parent?.state ?? this.#first
    const { nonces } = state
    const mined: Mined[] = []
    const proposer = this.mempool.anyNode(`${name} proposer`)
    const waiting = this.mempool.all().toSorted((a, b) => a.nonce - b.nonce)
    for (const tx of waiting) {
      const isNext = tx.nonce === (state.accounts.get(tx.from) ?? 0)
      const isWaiting = faults.isOn && random.chance(`${name} leaves out ${tx.hash}`, 0.4)
      const isKnown = this.mempool.at(proposer, tx.hash) !== null
      if (!isNext || isWaiting || !isKnown || tx.maxFeePerGas < baseFee) continue
      const found = state
      const { effect, used } = this.#carryOut(found, tx, block)
      if (effect === null && this.#final.has(tx.hash)) continue
      state = counted(effect?.state ?? state, tx.from)
      const gasUsed = Math.min(used, tx.gas)
      const heldWei = (token: 'USDG' | 'ETH') =>
        holdings(found, token === 'ETH' ? CHAIN.eth : CHAIN.usdg)
      const before = { nonces, used: found.nonces, heldWei }
      this.payments.noteMined(tx.hash, effect !== null, scheduler.now, before)
      this.payments.noteUsed(tx.from, tx.nonce, tx.hash)
      mined.push({ tx, isSuccess: effect !== null, gasUsed, logs: effect?.logs ?? [] })
      this.mempool.delete(tx.hash)
    }
    const timestamp = Math.floor(scheduler.now / 1000)
    this.blocks = [...this.blocks, { number, hash: hashOf(name), timestamp, baseFee, mined, state }]
  }
}

/** Returns whether the owner of the boxes has sent a transaction. It sends one again until it succeeds. */
function isOfOwner({ from, call }: Tx): boolean {
  return call.kind === 'boxes' && from === BOXES.owner
}

function isPayment({ from, call }: Tx): boolean {
  if (call.kind === 'boxes') return from !== BOXES.owner
  return call.kind === 'transfer' && !call.isFunding
}

function hashOf(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
