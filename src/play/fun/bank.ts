import { selectionFrom, type GameName } from '../../games/games.ts'
import type { MinesParams } from '../../games/mines/rule.ts'
import { FUN } from '../../money/token.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import type { EntropyConfig } from '../games/desk.ts'
import { FUN_WALLET } from './fun.ts'
import { chance, purse, step } from './kept.ts'
import { leaveUnlessOffered } from './permitted.ts'
import {
  cashOutGame,
  commitmentIn,
  openGame,
  openGameIn,
  pick,
  play,
  type FunPlay,
} from './purse.ts'

/** Answers a player with fun chips as the service answers one with a wallet, by the same rules. */

type Call = (asked: never) => object | Promise<object>

interface NewPlay {
  game: GameName
  params: Record<string, unknown>
  amountWei: string
  clientSeed: string
  nonce: number
}

/** By method, path and action. The page makes no other calls for the player of its games. */
const CALLS: Record<string, Call> = {
  'GET /api/entropy': readConfig,
  'GET /api/entropy play': ({ nonce }: { nonce: string }) => readPlay(Number(nonce)),
  'POST /api/entropy recent': ({ limit }: { limit: number }) => ({
    ok: true,
    recent: purse().plays.slice(0, limit).map(named),
  }),
  'POST /api/entropy play': makePlay,
  'POST /api/entropy mines-open': beginGame,
  'POST /api/entropy mines-pick': ({ nonce, tile }: { nonce: number; tile: number }) =>
    step(
      (before) => pick(before, { nonce, tile, at: Date.now() }),
      (picked) => picked,
    ),
  'POST /api/entropy mines-cashout': ({ nonce }: { nonce: number }) =>
    step(
      (before) => cashOutGame(before, nonce, Date.now()),
      (ended) => ended,
    ),
  'GET /api/crash': async () => (await table()).readState(),
  'GET /api/crash bet': async (asked: { roundId: string }) =>
    (await table()).readBet(Number(asked.roundId)),
  'POST /api/crash bet': async (asked: never) => (await table()).placeBet(asked),
  'POST /api/crash cashout': async (asked: never) => (await table()).cashOut(asked),
}

/** Answers one of the calls of `api.ts`. */
export async function answerCall(
  method: 'GET' | 'POST',
  path: string,
  asked: object & { action?: string; token?: string },
): Promise<object> {
  if ((asked.token ?? FUN) !== FUN) return fail('wallet', 'Connect a wallet to bet tokens.')
  const call = CALLS[`${method} ${path} ${asked.action ?? ''}`.trim()]
  return call ? call(asked as never) : fail('wallet', 'Fun chips can’t do this. Connect a wallet.')
}

function table() {
  return import('./table.ts')
}

let known: EntropyConfig | null = null

/** Plays by the terms that the page shows. */
async function terms(): Promise<EntropyConfig | Failure> {
  if (!known) {
    const read = await get<EntropyConfig>('/api/entropy')
    if (isFailure(read)) return read
    known = read
  }
  return leaveUnlessOffered(known.terms) ?? known
}

async function readConfig(): Promise<object> {
  known = null
  const config = await terms()
  if (isFailure(config)) return config
  return { ...config, fairness: commitmentIn(purse()), openGame: openGameIn(purse()) }
}

function readPlay(nonce: number): object {
  const found = purse().plays.find((each) => each.nonce === nonce)
  return found
    ? { ok: true, ...named(found) }
    : fail('not_found', 'This browser keeps no fun play with this number: it keeps the newest 100.')
}

async function makePlay({ game, params, amountWei, ...rest }: NewPlay): Promise<object> {
  const by = await terms()
  if (isFailure(by)) return by
  const stake = { ...rest, amountWei: BigInt(amountWei), ...termsOf(by) }
  const selection = selectionFrom(game, params)
  return step(
    (before) => play(before, { selection, ...stake }, chance()),
    (settled) => settled,
  )
}

async function beginGame({ params, amountWei, ...rest }: NewPlay): Promise<object> {
  const by = await terms()
  if (isFailure(by)) return by
  const { mines } = params as Pick<MinesParams, 'mines'>
  const stake = { ...rest, amountWei: BigInt(amountWei), ...termsOf(by) }
  return step(
    (before) => openGame(before, { mines, ...stake }, chance()),
    (game) => ({ game }),
  )
}

function termsOf({ edgeBps, tables, terms: { minPlayMs } }: EntropyConfig) {
  return { edgeBps, tables, minPlayMs }
}

function named(each: FunPlay) {
  return { wallet: FUN_WALLET, ...each }
}
