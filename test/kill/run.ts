import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, http } from 'viem'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { Client } from '../../src/cli/shared/client.ts'
import { devOwner } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import { TOKENS } from '../../src/money/token.ts'
import { auditAll, problemsOf, totalOf, type Books } from '../live/audit.ts'
import { Random } from '../live/random.ts'
import { Setting, type Service } from '../live/setting.ts'
import { diskFolder } from '../shared/memory-folder.ts'
import { Memory } from './memory.ts'
import { send, type Order, type OrderAnswer } from './orders.ts'
import { gatherPlayers, type KillPlayer, type Table } from './players.ts'
import { startMortal } from './service.ts'

export interface KillOptions {
  seed: number
  kills: number
  onProgress?: (line: string) => void
}

export interface KillReport {
  kills: number
  /** The number of answers by kind of order and status; `lost` for those that never came. */
  counts: Map<string, number>
  /** Answers that were compared with a repetition after a kill. */
  compared: number
  rounds: number
  problems: string[]
}

/** Rounds are short, so that kills meet all their phases. */
const VARS = { CRASH_BETTING_MS: '2000', CRASH_RESULTS_MS: '500' }
/** How long a service lives under load, in milliseconds. */
const LIFE_MS = [300, 4_000] as const
/** The number of answers from before the previous kill that each check repeats. */
const OLDER_COMPARED = 100
/** A flight to 1,000x takes two minutes. */
const ENDED_WITHIN_MS = 240_000

/** Kills a service under load again and again, and checks every answer that it gave. */
export async function killAgainAndAgain(options: KillOptions): Promise<KillReport> {
  const setting = await Setting.create(diskFolder(), VARS)
  try {
    return await new Killer(options, setting, await gatherPlayers(setting)).run()
  } finally {
    await setting.close()
  }
}

class Killer {
  readonly #options: KillOptions
  readonly #setting: Setting
  readonly #players: KillPlayer[]
  readonly #random: Random
  readonly #memory = new Memory()
  readonly #counts: KillReport['counts'] = new Map()
  #isAlive = false
  #compared = 0
  #table: Table = { roundId: 0, phase: '' }
  #service: Service | null = null

  constructor(options: KillOptions, setting: Setting, players: KillPlayer[]) {
    this.#options = options
    this.#setting = setting
    this.#players = players
    this.#random = new Random(options.seed)
  }

  async run(): Promise<KillReport> {
    const { kills, onProgress } = this.#options
    try {
      await this.#start()
      await this.#inParallel(this.#players.flatMap((player) => player.chips()))
      let books: Books | null = null
      for (let kill = 1; kill <= kills && this.#memory.problems.length === 0; kill++) {
        const before = this.#memory.acknowledged.length
        const lifeMs = this.#random.between(...LIFE_MS)
        await this.#live(lifeMs)
        await this.#start()
        const lost = this.#memory.lost.length
        await this.#repeat(before)
        books = await this.#audit()
        onProgress?.(
          `kill ${kill} after ${lifeMs} ms: ${this.#memory.acknowledged.length - before} answers, ${lost} lost`,
        )
      }
      books = await this.#settle()
      const { problems } = this.#memory
      const { size: rounds } = new Set(books.rounds.map(({ roundId }) => roundId))
      return { kills, counts: this.#counts, compared: this.#compared, rounds, problems }
    } finally {
      await this.#service?.close()
    }
  }

  get #running(): Service {
    if (!this.#service) throw new Error('no service is running')
    return this.#service
  }

  async #start(): Promise<void> {
    this.#service = await startMortal(this.#setting.order(), (line) => {
      if (line.includes('"level":"error"')) this.#options.onProgress?.(line)
    })
    const owner = new Player(new Client(this.#running.baseUrl), devOwner().privateKey)
    await owner.signIn(await owner.signInMessage())
    await owner.houseTopup().catch(() => {})
  }

  /** Lets everybody play, and kills the service in the middle of it. */
  async #live(lifeMs: number): Promise<void> {
    this.#isAlive = true
    const watching = this.#watch()
    const playing = this.#players.map(async (player) => {
      const random = this.#random.fork()
      while (this.#isAlive) {
        const order = await player.order(random, this.#table)
        const times = random.chance(0.15) ? 2 : 1
        const answers = Array.from({ length: times }, () => this.#order(order))
        for (const answer of await Promise.all(answers)) {
          player.learn(order, answer?.status ?? 0)
        }
      }
    })
    await sleep(lifeMs)
    const killing = this.#service?.close()
    this.#isAlive = false
    await Promise.all([killing, watching, ...playing])
    this.#service = null
  }

  /** Follows the table. */
  async #watch(): Promise<void> {
    while (this.#isAlive) {
      try {
        const url = new URL('/api/crash?action=watch', this.#running.baseUrl)
        const response = await fetch(url)
        this.#table = await response.json()
      } catch {
        // The service was killed.
      }
      await sleep(50)
    }
  }

  async #order(order: Order): Promise<OrderAnswer | null> {
    const answer = await send(this.#running.baseUrl, order)
    this.#memory.note(order, answer)
    const outcome = answer ? `${answer.status} ${codeOf(answer)}`.trim() : 'lost'
    const key = `${order.kind} ${outcome}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return answer
  }

  /** Sends orders, each player's one after the other. */
  async #inParallel(orders: Order[]): Promise<void> {
    await Promise.all(
      this.#players.map(async (player) => {
        for (const order of orders.filter(({ wallet }) => wallet === player.wallet)) {
          player.learn(order, (await this.#order(order))?.status ?? 0)
        }
      }),
    )
  }

  /** Repeats what was not answered, and what was: all since a point, and some of before. */
  async #repeat(since: number): Promise<void> {
    await this.#inParallel(this.#memory.lost)
    if (this.#memory.lost.length > 0) this.#memory.problems.push('the service does not answer')
    const { acknowledged } = this.#memory
    const older = Array.from({ length: since > 0 ? OLDER_COMPARED : 0 }, () =>
      this.#random.pick(acknowledged.slice(0, since)),
    )
    const repeated = [...acknowledged.slice(since), ...older]
    await this.#inParallel(repeated)
    this.#compared += repeated.length
  }

  async #audit(): Promise<Books> {
    const wallets = this.#players.map(({ wallet }) => wallet)
    const books = await auditAll(this.#running, wallets)
    this.#memory.problems.push(...problemsOf(books), ...this.#memory.problemsWith(books))
    return books
  }

  /** Waits until every bet has ended and every withdrawal is paid, and compares the sums with the vault. */
  async #settle(): Promise<Books> {
    const until = Date.now() + ENDED_WITHIN_MS
    let books = await this.#audit()
    while (Date.now() < until && this.#memory.problems.length === 0 && unrest(books).length > 0) {
      await sleep(1_000)
      // A lost bet ends when its player looks. Otherwise its ledger's alarm asks, within five minutes.
      await Promise.all(this.#players.map(({ statePath }) => this.#look(statePath)))
      books = await this.#audit()
    }
    this.#memory.problems.push(...unrest(books), ...(await this.#vaultProblems(books)))
    return books
  }

  /** Compares what the books have of the vault with what it holds, once every withdrawal has ended. */
  async #vaultProblems(books: Books): Promise<string[]> {
    const { rpcUrl, address, usdg } = this.#setting.vault
    const chain = createPublicClient({ transport: http(rpcUrl) })
    const balanceOf = { address: usdg, abi: tokenAbi, functionName: 'balanceOf' } as const
    const held = {
      ETH: await chain.getBalance({ address }),
      USDG: await chain.readContract({ ...balanceOf, args: [address] }),
    }
    return TOKENS.flatMap((token) => {
      const kept = -totalOf(books, token, 'vault')
      return kept === held[token]
        ? []
        : [`vault ${token}: the books have ${kept}, it holds ${held[token]}`]
    })
  }

  async #look(path: string): Promise<void> {
    await fetch(new URL(path, this.#running.baseUrl))
  }
}

/** Returns the bets and withdrawals that have not ended. */
function unrest({ ledgers }: Books): string[] {
  return [...ledgers.values()].flatMap(({ name, balances, entries, alarmAt }) =>
    TOKENS.flatMap((token) =>
      ['in_play', 'withdrawing'].flatMap((account) => {
        const amountWei = balances?.[token][account] ?? '0'
        const last = entries.at(-1)?.operationId
        return amountWei === '0'
          ? []
          : [
              `${name}: ${amountWei} ${token} still ${account}, after ${last}; alarm due in ${alarmAt === null ? 'no' : alarmAt - Date.now()} ms`,
            ]
      }),
    ),
  )
}

function codeOf({ body }: OrderAnswer): string {
  return (body['error'] as { code?: string } | undefined)?.code ?? ''
}
