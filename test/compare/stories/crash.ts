import { setTimeout as sleep } from 'node:timers/promises'
import type { Cast, Wallet } from '../actors.ts'
import { get, post, read, type Recorder } from '../recording.ts'

interface Table {
  roundId: number
  phase: 'betting' | 'flight' | 'results'
  msLeft: number
}

const WATCH = get('/api/crash', { action: 'watch' })
const STAKE = { token: 'USDG', amountWei: '1000000' }
/** Betting has to stay open for at least this long when a story starts to bet. */
const TIME_TO_BET_MS = 4_000
/** A round may crash before a cash-out. */
const MOST_ATTEMPTS = 30

const act = (wallet: Wallet, action: string, fields: object = {}) =>
  post('/api/crash', { action, ...wallet.credentials, ...fields })
const bet = (wallet: Wallet, fields: object) => act(wallet, 'bet', fields)
const cashout = (wallet: Wallet, fields: object = {}) => act(wallet, 'cashout', fields)
const state = (wallet: Wallet) => get('/api/crash', wallet.credentials)
const seeds = (roundId: unknown) =>
  get('/api/crash', { action: 'verify-seeds', roundId: String(roundId) })
const endedBet = ({ address }: Wallet, roundId: unknown) =>
  get('/api/crash', { action: 'bet', wallet: address, roundId: String(roundId) })
const isIn =
  (phase: Table['phase']) =>
  (table: Table): boolean =>
    table.phase === phase

/** The table, a lost bet, a bet cashed out by the player, and one cashed out automatically. */
export async function crash({ recorder, players, stranger }: Cast): Promise<void> {
  const [loser, winner, waiter] = players
  await recorder.ask('the table at first', WATCH)
  await recorder.wait<{ history: unknown[] }>(WATCH, ({ history }) => history.length > 0)
  await refuseBets(recorder, loser, await stranger('without chips'))
  await lose(recorder, loser)
  const finishWatching = watchLive(recorder)
  await win(recorder, winner)
  await finishWatching()
  await waitForAutoCashout(recorder, waiter)
  const { roundId } = await recorder.wait<Table>(WATCH, () => true)
  // Always refused: local play commits to its peppers.
  const beacon = { action: 'beacon', roundId, signature: 'ab'.repeat(48) }
  await recorder.askAll({
    'the newest seeds': get('/api/crash', { action: 'verify-seeds' }),
    'the newest seeds, by path': get('/api/crash/verify-seeds'),
    'seeds of an unknown round': seeds(999_999),
    'seeds of a malformed round': seeds('first'),
    'a bet in an unknown round': endedBet(loser, 999_999),
    "a beacon that isn't awaited": post('/api/crash', beacon),
  })
}

/** Waits for a round with enough time left to bet. */
async function betting(recorder: Recorder): Promise<number> {
  const hasTime = ({ phase, msLeft }: Table) => phase === 'betting' && msLeft > TIME_TO_BET_MS
  return (await recorder.wait<Table>(WATCH, hasTime)).roundId
}

async function refuseBets(recorder: Recorder, player: Wallet, stranger: Wallet): Promise<void> {
  const roundId = await betting(recorder)
  await recorder.askAll({
    'a bet below the minimum': bet(player, { token: 'USDG', amountWei: '1' }),
    'a malformed bet': bet(player, { token: 'BTC', amountWei: 1_000_000, autoCashout: 1.234 }),
    'a bet in a later round': bet(player, { ...STAKE, roundId: 999_999 }),
    'a bet without chips': bet(stranger, STAKE),
    'a cash-out without a bet': cashout(player),
    'a bet without a signature': post('/api/crash', { action: 'bet', ...STAKE }),
    'seeds of the present round': seeds(roundId),
  })
}

async function lose(recorder: Recorder, player: Wallet): Promise<void> {
  const roundId = await betting(recorder)
  const placing = bet(player, { ...STAKE, roundId })
  await recorder.until<Table>('the table in betting', WATCH, isIn('betting'))
  await recorder.askAll({
    'the state before a bet': state(player),
    'a bet': placing,
    'the bet again': placing,
    'another bet': bet(player, { ...STAKE, amountWei: '2000000', roundId }),
    'a cash-out before take-off': cashout(player, { roundId }),
    'the state with a bet': state(player),
    'the bet under way': endedBet(player, roundId),
  })
  await recorder.until<Table>('the table in flight', WATCH, isIn('flight'))
  await recorder.until<Table>('the table in results', WATCH, isIn('results'))
  await recorder.ask('the bet again, too late', placing)
  await recorder.until('the lost bet', endedBet(player, roundId))
  await recorder.ask('a cash-out too late', cashout(player, { roundId }))
  await recorder.until('its seeds', seeds(roundId))
  await recorder.until<Table>('the state after the loss', state(player), isIn('betting'))
}

/** Bets until a cash-out comes before the crash, and keeps only that round. */
async function win(recorder: Recorder, player: Wallet): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const roundId = await betting(recorder)
    const placing = bet(player, { ...STAKE, roundId })
    const placed = await recorder.send(placing)
    await recorder.wait<Table>(WATCH, ({ phase }) => phase !== 'betting')
    const cashing = cashout(player)
    const cashed = await recorder.send(cashing)
    if (cashed.status !== 200) continue
    recorder.keep('a bet that wins', placing, placed)
    recorder.keep('a cash-out', cashing, cashed)
    await recorder.ask('the cash-out again', cashout(player, { roundId }))
    await recorder.until('the won bet', endedBet(player, roundId))
    await recorder.until<Table>('the state after the win', state(player), isIn('betting'))
    return
  }
  throw new Error('No cash-out came before its crash.')
}

async function waitForAutoCashout(recorder: Recorder, player: Wallet): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const roundId = await betting(recorder)
    const placing = bet(player, { token: 'ETH', amountWei: '1000000000000000', autoCashout: 1.01 })
    const placed = await recorder.send(placing)
    const asked = endedBet(player, roundId)
    await recorder.wait(asked, (_, status) => status === 200)
    const ended = await recorder.send(asked)
    if (read<{ outcome: string }>(ended).outcome !== 'won') continue
    recorder.keep('a bet with an auto-cash-out', placing, placed)
    recorder.keep('the bet that the round cashed out', asked, ended)
    return
  }
  throw new Error('No round came as far as 1.01.')
}

const STREAM = get('/api/crash/stream')
/** The kinds of message. Their order depends on when the viewer connects. */
const PHASES = ['phase betting', 'phase flight', 'phase results']
const KINDS = ['snapshot', ...PHASES, 'win', 'history', 'pong']
const PATIENCE_MS = 180_000
const POLL_MS = 200

/** Watches the table over a WebSocket. The returned task keeps one message of each kind. */
function watchLive(recorder: Recorder): () => Promise<void> {
  const seen = new Map<string, string>()
  const socket = new WebSocket(`${recorder.baseUrl.replace('http', 'ws')}${STREAM.path}`)
  socket.addEventListener('open', () => socket.send('ping'))
  socket.addEventListener('message', ({ data }) => {
    const text = String(data)
    const { type, phase } = (text === 'pong' ? { type: text } : JSON.parse(text)) as {
      type: string
      phase?: string
    }
    const kind = phase === undefined ? type : `${type} ${phase}`
    if (!seen.has(kind)) seen.set(kind, text)
  })
  return async () => {
    const until = Date.now() + PATIENCE_MS
    while (!KINDS.every((kind) => seen.has(kind)) && Date.now() < until) await sleep(POLL_MS)
    socket.close()
    await recorder.ask('the stream without an upgrade', STREAM)
    const upgrade = { ...STREAM, headers: { upgrade: 'websocket' } }
    for (const kind of KINDS) {
      const body = seen.get(kind)
      if (body === undefined) throw new Error(`The stream had no message "${kind}".`)
      recorder.keep(`the stream's ${kind}`, upgrade, { status: 101, headers: {}, body })
    }
  }
}
