import {
  checkCashout,
  checkDisclosedBet,
  checkDisclosedRound,
  checkPlay,
  checkPlaced,
  checkState,
  promisePlay,
} from '../invariants/answers.ts'
import { checkGame, checkPick, type Game } from '../invariants/games.ts'
import { FUNDED } from '../invariants/rest.ts'
import type { RoundWatch } from '../invariants/rounds.ts'
import type { World } from '../world/world.ts'
import { ask, insist, subjectOf } from './client.ts'
import { credentialsOf } from './signers.ts'

/** The pauses of a player between operations. In milliseconds. */
const PAUSE_MS = [50, 3_500] as const
/** How closely a player aims at a planned transition. */
const AIM_MS = 60

/** The most tries before a player gives up. */
const MAX_TRIES = 4

/** The players' names, in the order of {@link WALLETS}. */
export const NAMES = ['ada', 'ben', 'cleo', 'dan']

const GAMES = [
  { game: 'limbo', params: { target: 2.5 } },
  { game: 'plinko', params: { rows: 8, risk: 'high' } },
  { game: 'mines', params: { mines: 3, pick: [1, 2] } },
  { game: 'keno', params: { picks: [1, 5, 9], risk: 'low' } },
] as const

const OPERATIONS = [
  'bet',
  'bet',
  'bet',
  'cashout',
  'cashout',
  'cashout',
  'play',
  'play',
  'past-play',
  'read',
  'disclosure',
  'repeat',
]
/** Those of players who mostly bet. */
const BETTING = ['bet', 'bet', 'bet', 'bet', 'cashout', 'play', 'read', 'repeat']
/** How many answered calls a player remembers and may repeat. */
const HEARD = 6
/** Too many calls, and a signature that the wallet's contract no longer accepts: nothing is said of the call. */
const UNDECIDED = [401, 429]
/** The number of a player's first plays that are asked for again. */
const OLDEST = 4

/** A call that was answered, and is answered the same whenever it is made again. */
interface Heard {
  path: string
  action: string
  fields: object
}

/** What a player has been told about the table. */
interface Seen {
  roundId: number
  phase: string
}

/** The next play's number and commitment, as told. */
interface Next {
  nonce: number
  seedHash: string
}

/** Takes chips from the faucet, until they have arrived. */
export async function takeChips(world: World, wallet: string, name: string): Promise<void> {
  for (const [token, amountWei] of Object.entries(FUNDED)) {
    const body = JSON.stringify({ wallet, token, amountWei, id: `for ${token}` })
    const sent = { method: 'POST', path: '/api/dev/faucet', action: 'faucet', body } as const
    await insist(world, `${name} funds`, sent, 20)
  }
}

/** A player: bets, cashes out, plays and reads, through the router only. */
export class Player {
  readonly #world: World
  readonly #rounds: RoundWatch
  readonly wallet: string
  readonly name: string
  #seen: Seen | null = null
  #next: Next | null = null
  /** The open game of mines, as last told. */
  #game: Game | null = null
  /** The numbers of the plays that were answered. */
  readonly #played: number[] = []
  readonly #heard: Heard[] = []
  #operations = 0

  constructor(world: World, rounds: RoundWatch, wallet: string, number: number) {
    this.#world = world
    this.#rounds = rounds
    this.wallet = wallet
    this.name = NAMES[number] ?? `player ${number}`
  }

  /** Takes chips from the faucet, until they have arrived. */
  async fund(): Promise<void> {
    await takeChips(this.#world, this.wallet, this.name)
  }

  /** Plays until a time. @param slowly by how much to lengthen the pauses */
  async live(until: number, slowly: number): Promise<void> {
    const { scheduler, random, choice, traits } = this.#world
    const operations = traits.hasFullRounds ? BETTING : OPERATIONS
    for (;;) {
      const name = `${this.name} ${++this.#operations}`
      await scheduler.sleep(this.#pause(name, slowly))
      if (scheduler.now >= until) return
      if (choice.without.has(name)) continue
      await this.#operate(name, random.pick(`${name} operation`, operations))
    }
  }

  /** Reads the state once, which makes the service do what is due. */
  async look(): Promise<void> {
    await this.#read(`${this.name} looks`)
  }

  /**
   * Ends the open game of mines, which would otherwise be cashed out a day after it opened.
   * @param openedFrom in unix milliseconds; a game that was opened earlier is left alone
   */
  async endGame(openedFrom: number): Promise<void> {
    const name = `${this.name} leaves`
    await this.#readTerms(name)
    if ((this.#game?.openedAt ?? 0) < openedFrom) return
    if (this.#game?.picked.length === 0) await this.#pickMines(name, this.#game)
    if (this.#game) await this.#cashOutMines(name, this.#game)
  }

  /** Returns how long to wait: until a planned transition, or just so. */
  #pause(name: string, slowly: number): number {
    const { scheduler, random, transitions } = this.#world
    const [low, high] = PAUSE_MS
    const [next] = transitions.upcoming(scheduler.now)
    if (next !== undefined && random.chance(`${name} aims`, 0.4)) {
      const offset = random.between(`${name} offset`, -AIM_MS, AIM_MS)
      return Math.max(0, Math.min(next - scheduler.now + offset, 2 * high))
    }
    return random.between(`${name} pause`, low, high * slowly)
  }

  async #operate(name: string, operation: string): Promise<void> {
    this.#world.done.push(name)
    if (!this.#seen || operation === 'read') return this.#read(name)
    if (operation === 'bet') return this.#bet(name, this.#seen)
    if (operation === 'cashout') return this.#cashOut(name, this.#seen)
    if (operation === 'play') return this.#play(name)
    if (operation === 'past-play') return this.#askForPlay(name)
    if (operation === 'repeat') return this.#repeat(name)
    await this.#disclosure(name, this.#seen)
  }

  async #read(name: string): Promise<void> {
    const query = new URLSearchParams(this.#credentials())
    const path = `/api/crash?${query.toString()}`
    const { wallet } = this
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'state', wallet })
    if (answer?.status !== 200) return
    checkState(this.#world, answer.json)
    this.#seen = { roundId: Number(answer.json['roundId']), phase: String(answer.json['phase']) }
  }

  async #bet(name: string, seen: Seen): Promise<void> {
    const { random } = this.#world
    if (seen.phase !== 'betting' || random.chance(`${name} looks`, 0.3)) await this.#read(name)
    const roundId = this.#seen?.roundId ?? seen.roundId
    const autoCashout = random.chance(`${name} auto`, 0.5)
      ? random.between(`${name} target`, 101, 400) / 100
      : null
    // Few amounts, so that some bets equal earlier ones.
    const amountWei = random.pick(`${name} amount`, ['10000000', '20000000', '25000001'])
    const named = random.chance(`${name} names the round`, 0.8)
    const order = { token: 'USDG', amountWei, autoCashout, ...(named && { roundId }) }
    const before = this.#rounds.known
    const answer = await this.#post(name, 'crash', 'bet', order, named)
    if (answer?.status !== 200) return
    const asked = {
      order: { token: 'USDG', amountWei, autoCashout },
      roundId: named ? roundId : null,
    }
    checkPlaced(this.#world, this.wallet, asked, answer.json, before)
  }

  async #cashOut(name: string, seen: Seen): Promise<void> {
    const named = this.#world.random.chance(`${name} names the round`, 0.5)
    const fields = named ? { roundId: seen.roundId } : {}
    const before = this.#rounds.known
    const answer = await this.#post(name, 'crash', 'cashout', fields, true)
    if (answer?.status !== 200) return
    const asked = named ? seen.roundId : null
    checkCashout(this.#world, this.wallet, asked, answer.json, before)
  }

  async #play(name: string): Promise<void> {
    const world = this.#world
    const { random } = world
    if (random.chance(`${name} tile by tile`, 0.4)) return this.#mines(name)
    if (!this.#next || random.chance(`${name} looks`, 0.2)) await this.#readTerms(name)
    const next = this.#next
    if (!next) return
    const game = random.pick(`${name} game`, GAMES)
    const numbered = random.chance(`${name} numbers the play`, 0.85)
    const amountWei = random.pick(`${name} amount`, ['1000000', '1000000', '100000'])
    const stake = { token: 'USDG', amountWei, clientSeed: name }
    const fields = { ...game, ...stake, ...(numbered && { nonce: next.nonce }) }
    const answer = await this.#post(name, 'entropy', 'play', fields, numbered)
    this.#next = null
    if (answer?.status !== 200) return
    checkPlay(world, this.wallet, numbered ? next : null, fields, answer.json)
    const { nonce, nextSeedHash } = answer.json
    this.#played.push(Number(nonce))
    this.#next = { nonce: Number(nonce) + 1, seedHash: String(nextSeedHash) }
  }

  /** Opens a game of mines, picks a tile of the open one, or cashes it out. */
  async #mines(name: string): Promise<void> {
    const { random } = this.#world
    if (!this.#next || !this.#game || random.chance(`${name} looks`, 0.3))
      await this.#readTerms(name)
    const game = this.#game
    if (game && random.chance(`${name} ends`, 0.3)) return this.#cashOutMines(name, game)
    if (game) return this.#pickMines(name, game)
    if (this.#next) await this.#openMines(name, this.#next)
  }

  async #openMines(name: string, next: Next): Promise<void> {
    const mines = this.#world.random.pick(`${name} mines`, [1, 3, 24])
    const stake = { token: 'USDG', amountWei: '1000000', clientSeed: name }
    const fields = { ...stake, params: { mines }, nonce: next.nonce }
    const answer = await this.#post(name, 'entropy', 'mines-open', fields, true)
    this.#next = null
    if (answer?.status !== 200) return
    this.#game = checkGame(this.#world, this.wallet, { ...next, clientSeed: name }, answer.json)
  }

  async #pickMines(name: string, game: Game): Promise<void> {
    const tile = this.#world.random.between(`${name} tile`, 0, 24)
    const asked = { nonce: game.nonce, tile }
    const answer = await this.#post(name, 'entropy', 'mines-pick', asked, true)
    this.#game = null
    if (answer?.status === 200)
      this.#game = checkPick(this.#world, this.wallet, { ...game, tile }, answer.json)
  }

  async #cashOutMines(name: string, game: Game): Promise<void> {
    const answer = await this.#post(name, 'entropy', 'mines-cashout', { nonce: game.nonce }, true)
    this.#game = null
    if (answer?.status !== 200) return
    const { clientSeed, token, amountWei } = game
    checkPlay(this.#world, this.wallet, game, { clientSeed, token, amountWei }, answer.json)
  }

  async #readTerms(name: string): Promise<void> {
    const query = new URLSearchParams(this.#credentials())
    const path = `/api/entropy?${query.toString()}`
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'terms' })
    if (answer?.status !== 200) return
    this.#next = answer.json['fairness'] as Next
    this.#game = answer.json['openGame'] as Game | null
  }

  /** Reads what anyone may: how an earlier bet or round ended. */
  async #disclosure(name: string, { roundId }: Seen): Promise<void> {
    const { random } = this.#world
    const of = Math.max(1, roundId - random.between(`${name} ago`, 0, 2))
    const path = random.pick(`${name} path`, [
      `/api/crash?action=bet&wallet=${this.wallet}&roundId=${of}`,
      '/api/crash?action=verify-seeds',
      `/api/crash?action=verify-seeds&roundId=${of}`,
    ])
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'disclosure' })
    if (answer?.status !== 200) return
    const { json } = answer
    if (json['wallet'] !== undefined) return checkDisclosedBet(this.#world, this.wallet, json)
    for (const round of json['rounds'] as Record<string, unknown>[])
      checkDisclosedRound(this.#world, round)
  }

  /** Reads one of the player's earlier plays, whose entry may be in the archive. */
  async #askForPlay(name: string): Promise<void> {
    const world = this.#world
    if (this.#played.length === 0) return
    // The oldest are the first in the archive.
    const nonce = world.random.pick(`${name} nonce`, this.#played.slice(0, OLDEST))
    const path = `/api/entropy?action=play&wallet=${this.wallet}&nonce=${nonce}`
    const answer = await ask(world, name, { method: 'GET', path, action: 'past-play' })
    if (answer?.status === 404)
      world.violate(`play ${nonce} of ${this.wallet} was answered, and then not found`)
    if (answer?.status === 200) promisePlay(world, this.wallet, answer.json)
  }

  /** Makes a call again that was answered. Nothing that has happened since may change its answer. */
  async #repeat(name: string): Promise<void> {
    const { random } = this.#world
    if (this.#heard.length === 0) return
    const { path, action, fields } = random.pick(`${name} call`, this.#heard)
    const answer = await this.#send(name, path, action, fields)
    if (answer && answer.status < 500 && ![200, ...UNDECIDED].includes(answer.status))
      this.#world.violate(`${name}: ${action} was answered, and then refused: ${answer.text}`)
  }

  async #post(name: string, path: string, action: string, fields: object, isRepeatable: boolean) {
    if (!isRepeatable) {
      const sent = { ...this.#request(path, action, fields), isUnrepeatable: true }
      return ask(this.#world, name, sent)
    }
    const answer = await this.#send(name, path, action, fields)
    const isNamed = subjectOf(this.wallet, action, fields) !== undefined
    if (answer?.status === 200 && isNamed) this.#heard.push({ path, action, fields })
    if (this.#heard.length > HEARD) this.#heard.shift()
    return answer
  }

  #send(name: string, path: string, action: string, fields: object) {
    const tries = this.#world.random.between(`${name} tries`, 1, MAX_TRIES)
    return insist(this.#world, name, this.#request(path, action, fields), tries)
  }

  #request(path: string, action: string, fields: object) {
    const { wallet } = this
    const body = JSON.stringify({ action, ...fields, ...this.#credentials() })
    const subject = subjectOf(wallet, action, fields)
    return { method: 'POST', path: `/api/${path}`, action, body, wallet, subject } as const
  }

  #credentials() {
    return credentialsOf(this.#world, this.wallet)
  }
}
