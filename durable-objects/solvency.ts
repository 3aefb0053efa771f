import { bytesToHex } from '@noble/hashes/utils'
import { DurableObject } from 'cloudflare:workers'
import { confirmedHoldings, type VaultHoldings } from '../src/chain/vault.ts'
import { settledWei, type VaultConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import { logFault } from '../src/log.ts'
import { owedToPartners } from '../src/money/bankroll.ts'
import { perToken } from '../src/money/token.ts'
import { retried, transparencyLog, treasury, vaultWatch } from '../src/objects.ts'
import { isNextEpoch } from '../src/solvency/age.ts'
import { ratioOf, type SolvencyProof, type Statement } from '../src/solvency/statement.ts'
import { buildTree, type SumTree } from '../src/solvency/sum-tree.ts'
import { readNode, rootOf } from '../src/solvency/tree.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { transact } from './kernel/transact.ts'
import { sendMissing, readDebts, type Debts } from './solvency/debts.ts'
import { TABLES, TreeStore } from './solvency/store.ts'

/** A statement, and the proof that was asked for; null if its wallet isn't in the tree. */
export interface Solvent {
  statement: Statement
  proof: SolvencyProof | null
}

/**
 * The Merkle sum tree over all debts to players: builds it once an hour, keeps the newest, and proves a wallet's
 * part of it. It holds no facts of its own but the number of the epoch and the secret of all salts.
 */
export class Solvency extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #store = new TreeStore(this.ctx.storage.sql)
  #underWay: Promise<Statement | Refusal> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [{ id: 'solvency', sql: TABLES }])
  }

  /** Returns the newest statement, with a wallet's proof; null before the first. @param wallet null for no proof */
  async read(wallet: string | null): Promise<Solvent | null> {
    const published = this.#store.published()
    if (!published) return null
    const proof = wallet === null ? null : this.#store.proof(wallet)
    return { statement: published.statement, proof }
  }

  /** Publishes the tree of each hour once. After a failure, the next minute's call tries again. */
  async sweep(): Promise<void> {
    await this.#log()
    const published = this.#store.published()
    if (!published || isNextEpoch(published.statement.at, this.#clock.now())) await this.publish()
  }

  /** Builds and publishes the tree of the next epoch, once for all simultaneous callers. */
  async publish(): Promise<Statement | Refusal> {
    this.#underWay ??= this.#publish().finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /**
   * @throws if D1, the node, or a ledger whose position may be too old does not answer. Nothing is published
   *   then, because a tree that breaks its promise is worse than a late one.
   */
  async #publish(): Promise<Statement | Refusal> {
    const { vault } = loadConfig(this.env)
    if (!vault)
      return refuse('not_configured', 'This service has no vault to hold its debts against.')
    // The log has every epoch: it gets the last one before another replaces it.
    await this.#log()
    const at = this.#clock.now()
    const held = await confirmedHoldings(vault)
    const recent = await this.#recentPlayers(vault)
    if (isRefusal(recent)) return recent
    const debts = await readDebts(this.env, at, recent)
    const epoch = (this.#store.published()?.statement.epoch ?? 0) + 1
    const tree = buildTree(this.#store.key(), epoch, debts.records)
    const statement = this.#statementOf({ epoch, at, held, debts, tree })
    transact(this.ctx.storage, () => this.#store.save(statement, debts, tree))
    await this.#log().catch((fault: unknown) => logFault('solvency_not_logged', fault, { epoch }))
    return statement
  }

  /**
   * Returns the players whose positions may lack a movement that the holdings have. Refuses if D1 may lack the
   * position of any: what it is owed would be left out, while the vault holds its deposit.
   */
  async #recentPlayers(vault: VaultConfig): Promise<ReadonlySet<string> | Refusal> {
    // Credits every deposit that the holdings have.
    const isCredited = await retried(async () => vaultWatch(this.env, vault.id).look())
    if (!isCredited) {
      return refuse('chain_unavailable', 'Not all deposits have been credited; try again later.')
    }
    const recent = await retried(async () => treasury(this.env, vault.id).recentPlayers())
    if (isRefusal(recent)) return recent
    return (await sendMissing(this.env, recent))
      ? new Set(recent)
      : refuse('closed', 'The books are being completed; try again later.')
  }

  /** Appends the newest statement to the public log, unless it is there. Without a log there is nothing to do. */
  async #log(): Promise<void> {
    const published = this.#store.published()
    if (!published || published.isLogged || !loadConfig(this.env).log) return
    const { statement } = published
    const entry = { kind: 'solvency', id: String(statement.epoch), ...statement } as const
    await retried(async () => transparencyLog(this.env).append(entry))
    this.#store.noteLogged(statement.epoch)
  }

  #statementOf(counted: {
    epoch: number
    at: number
    held: VaultHoldings
    debts: Debts
    tree: SumTree
  }): Statement {
    const { epoch, at, held, debts, tree } = counted
    const { blockNumber, blockHash, holdings } = held
    const owed = readNode(tree.top).sums
    const config = loadConfig(this.env)
    const partners = perToken((token) =>
      owedToPartners(debts.partner[token], settledWei(config, token)),
    )
    return {
      ...{ epoch, at, root: bytesToHex(rootOf(epoch, tree.top)) },
      owed: perToken((token) => owed[token].toString()),
      partners: perToken((token) => partners[token].toString()),
      vault: {
        holdings: perToken((token) => holdings[token].toString()),
        ...{ blockNumber, blockHash },
      },
      leaves: debts.count,
      ratio: perToken((token) => ratioOf(holdings[token], owed[token] + partners[token])),
    }
  }
}
