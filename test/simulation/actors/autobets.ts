import { fail, isFailure, type Failure } from '../../../src/play/api.ts'
import { begin, next, type Change, type Event, type Run } from '../../../src/play/autobet/rules.ts'
import { playByTile } from '../../../src/play/games/mines/by-tile.ts'
import { checkDisclosedBet, checkPlay } from '../invariants/answers.ts'
import type { HttpRequest } from '../world/http.ts'
import type { World } from '../world/world.ts'
import { ask, subjectOf } from './client.ts'
import { credentialsOf } from './signers.ts'

/** How long the page waits before it looks again. In milliseconds. */
const LOOK_AGAIN_MS = 900
/** A page is reloaded within this time after a bet was sent. */
const RELOADED_WITHIN_MS = 900
const RELOADED = 0.15
/** A player without chips asks this many times in a row, so chips that are still on their way come first. */
const SETTLED_AFTER_REFUSALS = 60

type Kind = 'limbo' | 'mines' | 'crash'

/** What bets automatically at the same time: as on the page, one run in the games, and one in the rounds. */
export const TABS: readonly (readonly Kind[])[] = [['limbo', 'mines'], ['crash']]

const TARGET = 2
const CHANGES: readonly Change[] = [
  { kind: 'keep' },
  { kind: 'reset' },
  { kind: 'raise', percent: 50 },
]

/** What a bet is sent with besides its number: it stays the same when the bet is sent again. */
interface Ticket {
  seedHash: string
  clientSeed: string
  tiles: number[]
}

type AnyRun = Run<Kind, Ticket>
type Bet = NonNullable<AnyRun['pending']>

/** The rules of automatic betting. A test replaces them by wrong ones. */
export type Rules = typeof next<Kind, Ticket>

/** A step of a run. */
export interface Step {
  kind: Kind
  /** The nonce of a play, or the round of a bet. */
  id: number
  amountWei: string
}

/**
 * A player whose page bets automatically, by the page's own rules: in rounds, in plays, and in games of mines tile by
 * tile. The page stores its run before each bet, and is reloaded at any time.
 */
export class Autobettor {
  readonly wallet: string
  readonly name: string
  /** The steps that runs have taken, as they know. */
  readonly steps: Step[] = []
  readonly #world: World
  readonly #kinds: readonly Kind[]
  readonly #rules: Rules
  #run: AnyRun | null = null
  /** The run as the browser keeps it. */
  #stored = ''
  /** Of the page that is shown. Answers for an earlier one reach nobody. */
  #page = 0

  constructor(world: World, wallet: string, kinds: readonly Kind[], rules: Rules = next) {
    this.#world = world
    this.wallet = wallet
    this.name = `auto ${kinds.join('/')}`
    this.#kinds = kinds
    this.#rules = rules
  }

  /** Bets until a time. @param slowly by how much to lengthen the pauses */
  async live(until: number, slowly: number): Promise<void> {
    const { scheduler, random, choice, done } = this.#world
    for (let count = 1; ; count++) {
      const name = `${this.name} ${count}`
      await scheduler.sleep(random.between(`${name} pause`, 50, LOOK_AGAIN_MS * slowly))
      if (scheduler.now >= until) return
      if (choice.without.has(name)) continue
      done.push(name)
      if (!this.#run || (this.#run.end && !this.#run.pending) || this.#isTooHigh())
        this.#begin(name)
      await this.#stepOrReload(name)
    }
  }

  /** Asks for the last bet until it is decided, or cannot be placed because the deposits are gone from the chain. */
  async settle(): Promise<void> {
    for (let count = 1; this.#run?.pending && !this.#isBroke() && !this.#isTooHigh(); count++) {
      await this.#world.scheduler.sleep(LOOK_AGAIN_MS)
      await this.#step(`${this.name} settles ${count}`, this.#page)
    }
  }

  #isBroke(): boolean {
    const refusals = this.#run?.refusals
    return refusals?.code === 'insufficient_chips' && refusals.times >= SETTLED_AFTER_REFUSALS
  }

  /** Returns whether the pending play is above the limits, so that no try of it was or will be accepted. */
  #isTooHigh(): boolean {
    const { pending, plan } = this.#run ?? {}
    if (!pending || plan?.choice === 'crash') return false
    const { max = '0', maxPayout = '0' } = this.#world.limits.ENTROPY_LIMITS['USDG'] ?? {}
    const stakeWei = BigInt(pending.amountWei)
    const isPaidTooMuch = plan?.choice === 'limbo' && stakeWei * BigInt(TARGET) > BigInt(maxPayout)
    return isPaidTooMuch || stakeWei > BigInt(max)
  }

  #begin(name: string): void {
    const { random } = this.#world
    this.#keep(
      begin({
        choice: random.pick(`${name} kind`, this.#kinds),
        token: 'USDG',
        amountWei: random.pick(`${name} amount`, ['1000000', '1000003']),
        count: random.between(`${name} count`, 2, 8),
        onWin: random.pick(`${name} on win`, CHANGES),
        onLoss: random.pick(`${name} on loss`, CHANGES),
        stopProfitWei: null,
        stopLossWei: null,
        pauseMs: 0,
      }),
    )
  }

  async #stepOrReload(name: string): Promise<void> {
    const { scheduler, random } = this.#world
    const stepping = this.#step(name, this.#page)
    if (!random.chance(`${name} reloads`, RELOADED)) return stepping
    const reloadedIn = random.between(`${name} reloads in`, 0, RELOADED_WITHIN_MS)
    await Promise.race([stepping, scheduler.sleep(reloadedIn)])
    this.#world.tell(() => `${name}: the page is reloaded`)
    this.#page++
    this.#run = JSON.parse(this.#stored) as AnyRun
  }

  /** Places one bet, or asks for it again, as the page does. */
  async #step(name: string, page: number): Promise<void> {
    const run = this.#run
    if (!run) return
    const { choice } = run.plan
    const found = run.pending ?? (await this.#ready(name, page, choice))
    if (!found) return
    // A bet that a run has ended with is still asked for: its player wants to know.
    const bet = this.#take({ kind: 'ready', ...found }) ?? this.#run?.pending ?? null
    if (!bet) return
    const event = await this.#place(name, page, choice, bet)
    if (event) this.#take(event)
  }

  #take(event: Event<Ticket>): Bet | null {
    if (!this.#run) return null
    const { pending, settled, plan } = this.#run
    const { run, bet } = this.#rules(this.#run, event)
    if (pending && run.settled > settled) {
      this.steps.push({ kind: plan.choice, id: pending.id, amountWei: pending.amountWei })
    }
    this.#keep(run)
    return bet
  }

  #keep(run: AnyRun): void {
    this.#run = run
    this.#stored = JSON.stringify(run)
  }

  /** Returns the number of the next bet, and what to send with it. */
  async #ready(name: string, page: number, kind: Kind) {
    if (kind === 'crash') {
      const table = await this.#get(name, page, 'crash', 'state')
      if (!table || isFailure(table)) return null
      const { openBet } = table['me'] as { openBet: object | null }
      const isFree = table['phase'] === 'betting' && !openBet
      const ticket: Ticket = { seedHash: '', clientSeed: '', tiles: [] }
      return isFree ? { id: Number(table['roundId']), ticket } : null
    }
    const config = await this.#get(name, page, 'entropy', 'terms')
    if (!config || isFailure(config)) return null
    const { nonce, seedHash } = config['fairness'] as { nonce: number; seedHash: string }
    const first = this.#world.random.between(`${name} tile`, 0, 20)
    return {
      id: nonce,
      ticket: { seedHash, clientSeed: name, tiles: [first, first + 2, first + 4] },
    }
  }

  #place(name: string, page: number, kind: Kind, bet: Bet): Promise<Event<Ticket> | null> {
    if (kind === 'crash') return this.#bet(name, page, bet)
    return kind === 'mines' ? this.#mines(name, page, bet) : this.#play(name, page, bet)
  }

  async #play(name: string, page: number, bet: Bet): Promise<Event<Ticket> | null> {
    const { id, amountWei, ticket } = bet
    const { clientSeed } = ticket
    const stake = { token: 'USDG', amountWei, clientSeed, nonce: id }
    const body = { action: 'play', game: 'limbo', params: { target: TARGET }, ...stake }
    const answer = await this.#post(name, page, 'entropy', body)
    if (isFailure(answer)) return { kind: 'refused', id, code: answer.error.code }
    checkPlay(this.#world, this.wallet, { nonce: id, ...ticket }, stake, answer)
    return { kind: 'settled', id, payoutWei: String(answer['payout']) }
  }

  #mines(name: string, page: number, { id, amountWei, ticket }: Bet) {
    const { clientSeed, tiles } = ticket
    const stake = { token: 'USDG', amountWei, clientSeed, nonce: id }
    const send = (body: object) => this.#post(name, page, 'entropy', body)
    const step = async (body: object) => {
      const answer = await send({ ...body, nonce: id })
      // Left open for a day, a game ends by itself.
      if (!isFailure(answer) || answer.error.code !== 'no_open_game') return answer
      const end = await this.#disclosed(name, page, 'entropy', {
        action: 'play',
        nonce: String(id),
      })
      return isFailure(end) ? end : { ...end, play: end }
    }
    return playByTile(id, tiles, {
      open: () => send({ action: 'mines-open', params: { mines: 3 }, ...stake }),
      pick: (tile) => step({ action: 'mines-pick', tile }) as never,
      cashOut: () => step({ action: 'mines-cashout' }) as never,
    })
  }

  async #bet(name: string, page: number, bet: Bet): Promise<Event<Ticket> | null> {
    const { id, amountWei } = bet
    const table = await this.#get(name, page, 'crash', 'state')
    if (!table || isFailure(table)) return null
    const { openBet } = table['me'] as { openBet: object | null }
    const isHere = table['roundId'] === id
    if (isHere && table['phase'] === 'betting' && !openBet) {
      const order = { token: 'USDG', amountWei, autoCashout: TARGET, roundId: id }
      const answer = await this.#post(name, page, 'crash', { action: 'bet', ...order })
      const isRefused = isFailure(answer) && answer.error.code !== 'betting_closed'
      return isRefused ? { kind: 'refused', id, code: answer.error.code } : null
    }
    if (openBet || Number(table['roundId']) <= id) return null
    const ended = await this.#disclosed(name, page, 'crash', { action: 'bet', roundId: String(id) })
    if (!isFailure(ended)) {
      checkDisclosedBet(this.#world, this.wallet, ended)
      return { kind: 'settled', id, payoutWei: String(ended['payout']) }
    }
    return ended.error.code === 'not_found' ? { kind: 'missed', id } : null
  }

  /** Reads how a bet or a play of the wallet ended. */
  #disclosed(name: string, page: number, part: string, of: Record<string, string>) {
    const query = new URLSearchParams({ ...of, wallet: this.wallet })
    const path = `/api/${part}?${query.toString()}`
    return this.#send(name, page, { method: 'GET', path, action: 'disclosure' })
  }

  async #get(name: string, page: number, path: string, action: string) {
    const query = new URLSearchParams(this.#credentials())
    return this.#send(name, page, {
      method: 'GET',
      path: `/api/${path}?${query.toString()}`,
      action,
      wallet: this.wallet,
    })
  }

  #post(name: string, page: number, path: string, fields: object) {
    const { action } = fields as { action: string }
    const body = JSON.stringify({ ...fields, ...this.#credentials() })
    const { wallet } = this
    const subject = subjectOf(wallet, action, fields)
    const sent = { method: 'POST', path: `/api/${path}`, action, body, wallet, subject } as const
    return this.#send(name, page, sent)
  }

  /** Sends a request, and repeats it once without an answer. A page that has been left hears nothing. */
  async #send(name: string, page: number, sent: HttpRequest) {
    const answer = (await ask(this.#world, name, sent)) ?? (await ask(this.#world, name, sent))
    if (page !== this.#page) return new Promise<never>(() => {})
    if (!answer) return fail('unreachable', 'no answer')
    return answer.status === 200 || 'ok' in answer.json
      ? (answer.json as Record<string, unknown> | Failure)
      : fail('internal', 'no JSON')
  }

  #credentials() {
    return credentialsOf(this.#world, this.wallet)
  }
}
