import { DurableObject } from 'cloudflare:workers'
import { answerWithin, disposed } from '../src/calls/call.ts'
import {
  control,
  crashRound,
  crashTable,
  daybook,
  exporter,
  lootboxDay,
  partnerIdsShard,
  partnerLimit,
  relayer,
  solvency,
  transparencyLog,
  treasury,
  vaultWatch,
} from '../src/calls/objects.ts'
import type { Config, VaultConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { dateOf } from '../src/core/utc-day.ts'
import type { RoundView } from '../src/crash/state.ts'
import type {
  BankrollFacts,
  BooksFacts,
  ChainFacts,
  ControlFacts,
  ExportFacts,
  Facts,
  ProbeResult,
  LootboxFacts,
  OpenRound,
  PartnerFacts,
  RelayerFacts,
  SolvencyFacts,
  StuckObject,
  TableFacts,
} from '../src/health/facts.ts'
import { perToken } from '../src/money/token.ts'
import { ProblemStore } from './health/problem-store.ts'
import { StuckStore, type StuckReport } from './health/stuck-store.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'

/** The objects are asked at most this often, however many callers there are. */
const KEEP_MS = 10_000
/** An object that takes longer counts as silent. */
const ANSWER_WITHIN_MS = 3_000

/**
 * The state of the service. Asks the owners of all parts at the same time, at most once in ten seconds, and changes
 * none of them: no round opens, and no node, database or bucket is read.
 */
export class Health extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #stuck = new StuckStore(this.ctx.storage.sql)
  readonly #problems = new ProblemStore(this.ctx.storage.sql)
  #kept: Facts | null = null
  #reading: Promise<Facts> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [this.#stuck.migration, this.#problems.migration])
  }

  /** Returns the state of all parts, at most ten seconds old. */
  async facts(): Promise<Facts> {
    const kept = this.#kept
    if (kept && this.#clock.now() - kept.at < KEEP_MS) return kept
    this.#reading ??= this.#read().finally(() => (this.#reading = null))
    return this.#reading
  }

  /** Returns the objects with messages that they can't deliver, the longest stuck first, at most a hundred. */
  async stuck(): Promise<StuckObject[]> {
    return this.#stuck.list()
  }

  /** Takes an object's report on the messages that it can't deliver. */
  async noteStuck(report: StuckReport): Promise<void> {
    this.#stuck.note(report, this.#clock.now())
  }

  /** Records the number of problems that the latest check of the configuration against the chain has found. */
  async noteConfiguration(problems: number): Promise<void> {
    this.#problems.note(problems)
  }

  async #read(): Promise<Facts> {
    const { env } = this
    const config = loadConfig(env)
    const { vault, log, lootbox, crash } = config
    const [
      table,
      chain,
      relayed,
      bankroll,
      switches,
      logged,
      exports,
      books,
      solvent,
      spins,
      partners,
    ] = await Promise.all([
      found(true, () => this.#table()),
      found<ChainFacts, VaultConfig>(vault, ({ id }) => vaultWatch(env, id).facts()),
      found<RelayerFacts, VaultConfig>(vault, ({ chainId }) => relayer(env, chainId).facts()),
      found<BankrollFacts, VaultConfig>(vault, ({ id }) => treasury(env, id).facts()),
      found<ControlFacts, true>(true, () => control(env).facts()),
      found(log, () => transparencyLog(env).facts()),
      found<ExportFacts, true>(true, () => exporter(env).facts()),
      found<BooksFacts, true>(true, () => daybook(env).facts()),
      found(vault, () => this.#solvency()),
      found(lootbox, ({ spinDailyLimit }) => this.#lootbox(spinDailyLimit)),
      this.#partners(config),
    ])
    const at = this.#clock.now()
    const facts: Facts = {
      at,
      isLocal: config.environment === 'local',
      hasBeacon: crash.pepper !== 'committed',
      table,
      chain,
      relayer: relayed,
      bankroll,
      control: switches,
      log: logged,
      exports,
      books,
      solvency: solvent,
      lootbox: spins,
      partners,
      stuck: this.#stuck.facts(at),
      configurationProblems: this.#problems.count(),
    }
    this.#kept = facts
    return facts
  }

  async #table(): Promise<TableFacts> {
    const table = disposed(await crashTable(this.env).facts())
    const view = disposed(await crashRound(this.env, table.rounds + 1).view())
    return { ...table, current: view && openRound(view) }
  }

  async #solvency(): Promise<SolvencyFacts> {
    const read = disposed(await solvency(this.env).read(null))
    if (!read) return { newest: null }
    const { epoch, at, leaves, ratio } = read.statement
    return { newest: { epoch, at, leaves, ratio } }
  }

  async #lootbox(spinDailyLimit: number): Promise<LootboxFacts> {
    const today = dateOf(this.#clock.now())
    return { spins: await lootboxDay(this.env, today).spinsTaken(), spinDailyLimit }
  }

  async #partners({ partners }: Config): Promise<Facts['partners']> {
    const read = [...partners.values()].map(async ({ id, limits, settled, newPlayersPerDay }) => {
      const ids = found(true, () => partnerIdsShard(this.env, id, 0).facts())
      const facts = await found(true, async (): Promise<Omit<PartnerFacts, 'idsBytes'>> => {
        const today = disposed(await partnerLimit(this.env, id).today())
        const tokens = perToken((token) => {
          const { creditedWei, debitedWei, netWei } = today[token]
          const { dayWei, totalWei } = limits[token]
          const day = { creditedWei, debitedWei, limitWei: dayWei.toString() }
          if (totalWei === null) return day
          const debtWei = (BigInt(netWei) + settled[token]).toString()
          return { ...day, debtWei, maxDebtWei: (totalWei + settled[token]).toString() }
        })
        return { ...tokens, newPlayers: today.newPlayers, newPlayersPerDay }
      })
      const sizes = await ids
      if (typeof facts === 'string') return [id, facts] as const
      const idsBytes = typeof sizes === 'string' ? null : sizes.databaseBytes
      return [id, { ...facts, idsBytes }] as const
    })
    return Object.fromEntries(await Promise.all(read))
  }
}

/** Returns an object's answer, `off` or `silent`. The object's own log lines give the reason for silence. */
async function found<T extends object, Configured>(
  configured: Configured | null,
  read: (configured: Configured) => PromiseLike<T>,
): Promise<ProbeResult<T>> {
  if (configured === null) return 'off'
  try {
    return await answerWithin(ANSWER_WITHIN_MS, Promise.resolve(read(configured)).then(disposed))
  } catch {
    return 'silent'
  }
}

function openRound({ stage, takeoffAt, plan }: RoundView): OpenRound {
  const { openedAt, flightAt, voidAt } = plan
  return { stage, takeoffAt, openedAt, flightAt, voidAt }
}
