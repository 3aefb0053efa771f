import { bytesToHex } from '@noble/hashes/utils'
import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import { treasury, vaultWatch } from '../src/calls/objects.ts'
import { appendToLog, findInLog } from '../src/calls/public-log.ts'
import { confirmedHoldings } from '../src/chain/vault.ts'
import type { VaultConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import { logFault } from '../src/log.ts'
import { owedToPartners, type PartnerAccount } from '../src/money/bankroll.ts'
import { amountTexts, perToken, type PerToken } from '../src/money/token.ts'
import { isNextEpoch, MAX_COUNT_MS } from '../src/solvency/age.ts'
import { ratioOf, type SolvencyProof, type Statement } from '../src/solvency/statement.ts'
import { MANY_WALLETS, MAX_WALLETS, type Tops } from '../src/solvency/sum-tree.ts'
import { readNode, rootOf } from '../src/solvency/tree.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { CountStore, type Count } from './solvency/count-store.ts'
import { noDebts, readDebts, sendMissing } from './solvency/debts.ts'
import { TreeStore } from './solvency/store.ts'
import { partnerAccounts } from './treasury/partner-accounts.ts'

/** After a refusal, such as one because the chain's node does not answer. */
const REFUSED_PAUSE_MS = 60_000

/** A statement, and the requested proof; null if its wallet isn't in the tree. */
export interface Solvent {
  statement: Statement
  proof: SolvencyProof | null
}

/**
 * The Merkle sum tree over all debts to players: builds it once an hour, keeps the newest, and proves a wallet's part
 * of it. Its only facts of its own are the number of the epoch and the secret of all salts.
 */
export class Solvency extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('Solvency', this.ctx, this.env))
  readonly #store = new TreeStore(this.ctx.storage.sql)
  readonly #counts = new CountStore(this.ctx.storage.sql)
  #underWay: Promise<Statement | Refusal | null> | null = null
  /** Wallets that were asked to send their positions, while a count waits for more to be asked before it begins. */
  #asked: Set<string> | null = null
  /** How long a count waits for its next stage. */
  #pauseMs = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      this.#store,
      this.#counts,
      { nextDueAt: (now) => (this.#isUnderWay() ? now + this.#pauseMs : null) },
    ])
    this.#kernel.open()
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
    const isDue = !published || isNextEpoch(published.statement.at, this.#kernel.clock.now())
    if (isDue || this.#isUnderWay()) await this.#stage()
  }

  /** Builds and publishes the tree of the next epoch, once for all simultaneous callers. */
  async publish(): Promise<Statement | Refusal> {
    for (;;) {
      const published = await this.#stage()
      if (published) return published
    }
  }

  /** Continues a count that takes several stages. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      if (this.#isUnderWay()) await this.#stage()
    })
  }

  #isUnderWay(): boolean {
    return this.#asked !== null || this.#counts.beganAt() !== null
  }

  /** Carries out the next stage, once for all simultaneous callers. Returns null if others are to follow. */
  #stage(): Promise<Statement | Refusal | null> {
    this.#underWay ??= this.#count()
      .then((made) => {
        this.#pauseMs = made && isRefusal(made) ? REFUSED_PAUSE_MS : 0
        return made
      })
      .finally(() => {
        this.#underWay = null
        this.#kernel.wake()
      })
    return this.#underWay
  }

  /**
   * Begins a count or resumes it, and publishes it once it is complete.
   * @throws if D1, the node, or a ledger whose position may be too old does not answer. Nothing is published
   *   then, because a tree that breaks its promise is worse than a late one.
   */
  async #count(): Promise<Statement | Refusal | null> {
    const { vault } = loadConfig(this.env)
    if (!vault)
      return refuse('not_configured', 'This service has no vault to compare its debts with.')
    // The log has every epoch: it gets the last one before another replaces it.
    await this.#log()
    this.#giveUpLate(this.#counts.beganAt())
    const begun = this.#counts.read()
    const asked = this.#asked ?? new Set()
    this.#asked = null
    const count = begun ?? (await this.#begin(vault, asked))
    if (!count || isRefusal(count)) return count
    const { epoch, at, recent } = count
    const debts = await readDebts(this.env, count.debts, {
      at,
      recent,
      save: (row, firstWallet, records) => this.#store.add(epoch, row, firstWallet, records),
    })
    // D1 may have been restored while its positions were read. Another check would have to read them all.
    const trusted = await this.#trustedRecentPlayers(vault, true)
    if (isRefusal(trusted)) {
      this.#kernel.transact(() => this.#counts.remove())
      return trusted
    }
    if (!debts.isComplete) {
      this.#kernel.transact(() => this.#counts.save({ ...count, debts }))
      return null
    }
    // A restored object may have begun an epoch that the log has.
    if (begun && (await this.#isLogged(epoch))) {
      this.#kernel.transact(() => this.#counts.remove())
      return null
    }
    const accounts = await partnerAccounts(this.env)
    const tree = await this.#store.build(debts.count, debts.rows)
    // The last stage may have taken long, too.
    return this.#giveUpLate(at) ? null : this.#publish({ ...count, debts }, tree, accounts)
  }

  /** Gives up a count that has taken too long. Returns whether it did. */
  #giveUpLate(beganAt: number | null): boolean {
    if (beganAt === null || this.#kernel.clock.now() - beganAt <= MAX_COUNT_MS) return false
    logFault('solvency_count_given_up', new Error('the count took too long'), {
      object: this.#kernel.owner.object,
      beganAt,
    })
    this.#kernel.transact(() => this.#counts.remove())
    return true
  }

  /**
   * Returns null if more wallets have to be asked for their positions.
   * @param asked those that were asked
   */
  async #begin(vault: VaultConfig, asked: Set<string>): Promise<Count | Refusal | null> {
    const at = this.#kernel.clock.now()
    const { chainId, address, usdg } = vault
    const held = { ...(await confirmedHoldings(vault)), contract: { chainId, address, usdg } }
    const recent = await this.#recentPlayers(vault)
    if (isRefusal(recent)) return recent
    const before = asked.size
    if (!(await sendMissing(this.env, recent, asked))) {
      if (asked.size === before)
        return refuse('closed', 'Some balances are still being collected. Try again later.')
      this.#asked = asked
      return null
    }
    const debts = noDebts()
    return { epoch: await this.#nextEpoch(), at, held, recent: new Set(recent), debts }
  }

  async #publish(
    count: Count,
    tree: Tops,
    accounts: PerToken<PartnerAccount[]>,
  ): Promise<Statement> {
    const { epoch, debts } = count
    const partners = perToken((token) => owedToPartners(debts.partner[token], accounts[token]))
    const statement = statementOf(count, tree, partners)
    this.#kernel.transact(() => {
      this.#store.publish(statement, tree, debts.rows)
      if (this.#counts.beganAt() !== null) this.#counts.remove()
    })
    const { leaves } = statement
    if (leaves >= MANY_WALLETS) {
      logFault('solvency_nearly_full', new Error(`a count has at most ${MAX_WALLETS} wallets`), {
        object: this.#kernel.owner.object,
        leaves,
      })
    }
    await this.#log().catch((fault: unknown) =>
      logFault('solvency_not_logged', fault, { object: this.#kernel.owner.object, epoch }),
    )
    return statement
  }

  /** Returns the number of the next count: after those that the log has, which an object that was restored forgets. */
  async #nextEpoch(): Promise<number> {
    let epoch = (this.#store.published()?.statement.epoch ?? 0) + 1
    while (await this.#isLogged(epoch)) epoch++
    return epoch
  }

  /** Returns whether the public log has a statement of an epoch. */
  async #isLogged(epoch: number): Promise<boolean> {
    if (!loadConfig(this.env).log) return false
    return (await findInLog(this.env, 'solvency', String(epoch))) !== null
  }

  /** Returns the players with a recent movement of the vault. Refuses unless the treasury trusts D1. */
  #trustedRecentPlayers(vault: VaultConfig, onlyTrust = false): Promise<string[] | Refusal> {
    return retried(async () => treasury(this.env, vault.id).recentPlayers({ onlyTrust }))
  }

  /**
   * Returns the players whose positions may lack a movement that the holdings have. D1 must have each one's position:
   * otherwise the count would leave out a debt whose deposit the vault holds.
   */
  async #recentPlayers(vault: VaultConfig): Promise<string[] | Refusal> {
    // Credits every deposit that the holdings have.
    const isCredited = await retried(async () => vaultWatch(this.env, vault.id).look())
    if (!isCredited) {
      return refuse('chain_unavailable', 'Not all deposits have been credited. Try again later.')
    }
    return this.#trustedRecentPlayers(vault)
  }

  /** Appends the newest statement to the public log, unless it is there. Without a log there is nothing to do. */
  async #log(): Promise<void> {
    const published = this.#store.published()
    if (!published || published.isLogged || !loadConfig(this.env).log) return
    const { statement } = published
    const entry = { kind: 'solvency', id: String(statement.epoch), ...statement } as const
    await appendToLog(this.env, entry)
    this.#store.noteLogged(statement.epoch)
  }
}

function statementOf(
  { epoch, at, held, debts }: Count,
  { top }: Tops,
  partners: PerToken<bigint>,
): Statement {
  const { blockNumber, blockHash, holdings, contract } = held
  const owed = readNode(top).sums
  return {
    epoch,
    at,
    root: bytesToHex(rootOf(epoch, top)),
    owed: amountTexts(owed),
    partners: amountTexts(partners),
    vault: {
      holdings: amountTexts(holdings),
      blockNumber,
      blockHash,
    },
    contract,
    leaves: debts.count,
    ratio: perToken((token) => ratioOf(holdings[token], owed[token] + partners[token])),
  }
}
