import type { Cast, Wallet } from '../actors.ts'
import { get, post, read, type Recorder } from '../recording.ts'
import { watchLive } from './crash-stream.ts'

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
const MAX_ATTEMPTS = 30

const act = (wallet: Wallet, action: string, fields: object = {}) =>
  post('/api/crash', { action, ...wallet.credentials, ...fields })
const bet = (wallet: Wallet, fields: object) => act(wallet, 'bet', fields)
const cashout = (wallet: Wallet, fields: object = {}) => act(wallet, 'cashout', fields)
const state = (wallet: Wallet) => get('/api/crash', wallet.credentials)
const seeds = (roundId: unknown) =>
  get('/api/crash', { action: 'verify-seeds', roundId: String(roundId) })
const endedBet = ({ address }: Wallet, roundId: unknown) =>
  get('/api/crash', { action: 'bet', wallet: address, roundId: String(roundId) })

/** The table, a lost bet, a bet cashed out by the player, and one cashed out automatically. */
export async function crash(cast: Cast): Promise<void> {
  const { recorder, players, stranger } = cast
  const [loser, winner, waiter] = players
  if (!loser || !winner || !waiter) return
  await recorder.ask('the table at first', WATCH)
  await recorder.wait<{ history: unknown[] }>(WATCH, ({ history }) => history.length > 0)
  await recorder.ask('an unknown action to read', get('/api/crash', { action: 'peek' }))
  await refuseBets(recorder, loser, await stranger('without chips'))
  await lose(recorder, loser, winner)
  const live = watchLive(recorder)
  await win(recorder, winner)
  await live.finish()
  await waitForAutoCashout(recorder, waiter)
  await recorder.ask('the newest seeds', get('/api/crash', { action: 'verify-seeds' }))
  await recorder.ask('the newest seeds, by path', get('/api/crash/verify-seeds'))
  await recorder.ask('seeds of an unknown round', seeds(999_999))
  await recorder.ask('seeds of a malformed round', seeds('first'))
  await recorder.ask('a bet in an unknown round', endedBet(loser, 999_999))
  await recorder.ask('a bet without a wallet', get('/api/crash', { action: 'bet' }))
  await bringBeacons(recorder)
}

/** Waits for a round with enough time left to bet. */
function betting(recorder: Recorder): Promise<Table> {
  return recorder.wait<Table>(
    WATCH,
    ({ phase, msLeft }) => phase === 'betting' && msLeft > TIME_TO_BET_MS,
  )
}

async function refuseBets(recorder: Recorder, player: Wallet, stranger: Wallet): Promise<void> {
  const { roundId } = await betting(recorder)
  await recorder.ask('a bet below the minimum', bet(player, { token: 'USDG', amountWei: '1' }))
  await recorder.ask(
    'a bet above the maximum',
    bet(player, { token: 'ETH', amountWei: '200000000000000001' }),
  )
  await recorder.ask('a bet in an unknown token', bet(player, { ...STAKE, token: 'BTC' }))
  await recorder.ask(
    'a bet whose amount is a number',
    bet(player, { token: 'USDG', amountWei: 1_000_000 }),
  )
  await recorder.ask('a bet without an amount', bet(player, {}))
  await recorder.ask('a bet with three decimals', bet(player, { ...STAKE, autoCashout: 1.234 }))
  await recorder.ask('a bet in a later round', bet(player, { ...STAKE, roundId: 999_999 }))
  await recorder.ask('a bet without chips', bet(stranger, STAKE))
  await recorder.ask('a cash-out without a bet', cashout(player))
  await recorder.ask('a cash-out of a malformed round', cashout(player, { roundId: 0 }))
  await recorder.ask('a bet without a signature', post('/api/crash', { action: 'bet', ...STAKE }))
  await recorder.ask('seeds of the current round', seeds(roundId))
}

async function lose(recorder: Recorder, player: Wallet, late: Wallet): Promise<void> {
  const { roundId } = await betting(recorder)
  await recorder.until<Table>('the table in betting', WATCH, ({ phase }) => phase === 'betting')
  await recorder.ask('the state before a bet', state(player))
  await recorder.ask('a bet', bet(player, { ...STAKE, roundId }))
  await recorder.ask('the bet again', bet(player, { ...STAKE, roundId }))
  await recorder.ask('another bet', bet(player, { ...STAKE, amountWei: '2000000', roundId }))
  await recorder.ask('a cash-out before take-off', cashout(player, { roundId }))
  await recorder.ask('the state with a bet', state(player))
  await recorder.ask('the bet under way', endedBet(player, roundId))
  await recorder.until<Table>('the table in flight', WATCH, ({ phase }) => phase === 'flight')
  await recorder.until<Table>('the table in results', WATCH, ({ phase }) => phase === 'results')
  await recorder.ask('the bet again, too late', bet(player, { ...STAKE, roundId }))
  await recorder.ask('a bet too late', bet(late, { ...STAKE, roundId }))
  await recorder.until<object>(
    'the lost bet',
    endedBet(player, roundId),
    (_, status) => status === 200,
  )
  await recorder.ask('a cash-out too late', cashout(player, { roundId }))
  await recorder.until<object>('its seeds', seeds(roundId), (_, status) => status === 200)
  await betting(recorder)
  await recorder.until<Table>(
    'the state after the loss',
    state(player),
    ({ phase }) => phase === 'betting',
  )
}

/** Bets until a cash-out comes before the crash, and keeps only that round. */
async function win(recorder: Recorder, player: Wallet): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { roundId } = await betting(recorder)
    const placing = bet(player, { ...STAKE, roundId })
    const placed = await recorder.send(placing)
    await recorder.wait<Table>(WATCH, (table) => table.phase !== 'betting')
    const cashing = cashout(player)
    const cashed = await recorder.send(cashing)
    if (cashed.status !== 200) continue
    recorder.keep('a bet that wins', placing, placed)
    recorder.keep('a cash-out', cashing, cashed)
    await recorder.ask('the cash-out again', cashout(player, { roundId }))
    await recorder.until<object>(
      'the won bet',
      endedBet(player, roundId),
      (_, status) => status === 200,
    )
    await recorder.ask('its cash-out after the round', cashout(player, { roundId }))
    await betting(recorder)
    await recorder.until<Table>(
      'the state after the win',
      state(player),
      ({ phase }) => phase === 'betting',
    )
    return
  }
  throw new Error('No cash-out came before its crash.')
}

async function waitForAutoCashout(recorder: Recorder, player: Wallet): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { roundId } = await betting(recorder)
    const placing = bet(player, { token: 'ETH', amountWei: '1000000000000000', autoCashout: 1.01 })
    const placed = await recorder.send(placing)
    const asked = endedBet(player, roundId)
    await recorder.wait<object>(asked, (_, status) => status === 200)
    const ended = await recorder.send(asked)
    if (read<{ outcome: string }>(ended).outcome !== 'won') continue
    recorder.keep('a bet with an auto-cash-out', placing, placed)
    recorder.keep('the bet that the round cashed out', asked, ended)
    return
  }
  throw new Error('No round came as far as 1.01.')
}

/** drand beacons, which are always refused: local play commits to its peppers. */
async function bringBeacons(recorder: Recorder): Promise<void> {
  const { roundId } = await recorder.wait<Table>(WATCH, () => true)
  const beacon = { action: 'beacon', roundId, signature: 'ab'.repeat(48) }
  await recorder.ask("a beacon that isn't awaited", post('/api/crash', beacon))
  await recorder.ask('a malformed beacon', post('/api/crash', { ...beacon, signature: 'AB' }))
}
