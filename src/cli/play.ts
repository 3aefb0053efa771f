// npm run play: plays in the terminal, from the sign-in to the proof that it was fair.
import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import { isHex, size, type Hex } from 'viem'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../crash/bet.ts'
import { toMultiplier, type Hundredths } from '../crash/curve.ts'
import type { Disclosure } from '../crash/disclosure.ts'
import { GAMES } from '../entropy/play.ts'
import { parseDecimal, toUnits } from '../money/decimal.ts'
import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import { readAmount, readAmountWei, showAmount } from './amounts.ts'
import { Client, ServiceError } from './client.ts'
import { DEV_PLAYERS, devPlayer } from './dev-players.ts'
import { readDisclosure } from './disclosure.ts'
import { playEntropy, readParams, type EntropyWager } from './entropy-game.ts'
import { checkGame, expectedChips } from './game-checks.ts'
import { playGame, type Game, type Seat, type Wager } from './game.ts'
import { LiveTable } from './live-table.ts'
import { Player } from './player.ts'
import { checkLine, CommandError, LiveLine, readArgs, runCommand, wholeNumber } from './terminal.ts'

const USAGE = `Usage: npm run play -- [options]

  --url URL        the service                    (http://localhost:8787)
  --game GAME      crash, ${GAMES.join(', ')}  (crash)
  --params JSON    what to choose in ${GAMES.join(', ')}, as the API takes it
  --token TOKEN    ${TOKENS.join(' or ')}                    (USDG)
  --amount A       stake in whole tokens          (1 USDG or 0.001 ETH)
  --amount-wei N   stake in smallest units
  --target X       crash: cash out here           (1.5)
  --rounds N       how many rounds or plays       (1)
  --player N       development player, from 0     (0)
  --key 0x…        another wallet's private key

Ends with 0 if everything was played and everything about it holds, won or lost.`

/** Stakes where none is given, in whole tokens. */
const DEFAULT_AMOUNT: Record<Token, string> = { ETH: '0.001', USDG: '1' }

/** The faucet is asked for this many stakes at once. */
const STAKES_TO_TAKE = 100n

/** How long the disclosure and the payout may take once a round is over. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

void runCommand(async () => {
  const { wager, entropy, rounds, ...options } = readOptions()
  const line = new LiveLine()
  const client = new Client(options.url, (seconds) =>
    line.print(`too many calls; waiting ${seconds} s, as the service asks`),
  )
  const player = await signIn(client, options.key, options.isOwnKey)
  console.log(`Playing at ${client.baseUrl.origin} as ${player.wallet}`)
  if (entropy) return playPlays(player, { ...wager, ...entropy }, rounds)
  const seat: Seat = { player, line, table: new LiveTable(player, line) }

  let voids = 0
  for (let played = 0; played < rounds;) {
    const { me, config } = await player.state()
    await ensureChips(seat, wager, BigInt(me.chips[wager.token]), config.bounds)
    const game = await playGame(seat, wager)
    if (!(await isProven(client, seat, game))) return 1
    if (game.result.kind !== 'voided') played++
    else if (++voids > rounds) throw new CommandError('Too many rounds were voided; try later.')
  }
  return 0
})

/** Plays an entropy game so many times. */
async function playPlays(player: Player, wager: EntropyWager, plays: number): Promise<number> {
  const line = new LiveLine()
  for (let played = 0; played < plays; played++) {
    const [{ me }, { bounds }] = await Promise.all([player.state(), player.terms()])
    await ensureChips({ player, line }, wager, BigInt(me.chips[wager.token]), bounds)
    if (!(await playEntropy(player, wager))) return 1
  }
  return 0
}

function readOptions() {
  const { values } = readArgs(USAGE, {
    options: {
      url: { type: 'string', default: 'http://localhost:8787' },
      game: { type: 'string', default: 'crash' },
      params: { type: 'string' },
      token: { type: 'string', default: 'USDG' },
      amount: { type: 'string' },
      'amount-wei': { type: 'string' },
      target: { type: 'string', default: '1.5' },
      rounds: { type: 'string', default: '1' },
      player: { type: 'string', default: '0' },
      key: { type: 'string' },
    },
  })
  const token = TOKENS.find((name) => name === values.token)
  if (!token) throw new CommandError(`--token must be ${TOKENS.join(' or ')}.`)
  const amountWei =
    values['amount-wei'] === undefined
      ? readAmount(values.amount ?? DEFAULT_AMOUNT[token], token)
      : readAmountWei(values['amount-wei'])
  const wager: Wager = { token, amountWei, target: readTarget(values.target) }
  const key =
    values.key ?? devPlayer(wholeNumber('--player', values.player, 0, DEV_PLAYERS - 1)).privateKey
  if (!isHex(key) || size(key) !== 32) throw new CommandError('--key must be 0x and 64 hex digits.')
  const rounds = wholeNumber('--rounds', values.rounds, 1, 1000)
  const entropy = readEntropy(values.game, values.params)
  return { wager, entropy, rounds, url: values.url, key, isOwnKey: values.key !== undefined }
}

/** The entropy game to play and what to choose in it; null for crash. */
function readEntropy(game: string, params: string | undefined) {
  if (game === 'crash') {
    if (params !== undefined) throw new CommandError('Crash takes --target, not --params.')
    return null
  }
  const known = GAMES.find((name) => name === game)
  if (!known) throw new CommandError(`--game must be crash, ${GAMES.join(', ')}.`)
  return { game: known, ...readParams(known, params) }
}

function readTarget(text: string): Hundredths {
  const decimal = parseDecimal(text)
  const target = decimal && toUnits(decimal, 2)
  if (target !== null && target >= MIN_AUTO_CASHOUT && target <= MAX_AUTO_CASHOUT)
    return Number(target)
  const bounds = [MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT].map(toMultiplier)
  throw new CommandError(`--target must be from ${bounds.join(' to ')}, with at most two decimals.`)
}

/** Signs in. A key of worth only signs in to the site it is talking to. */
async function signIn(client: Client, key: Hex, isOwnKey: boolean): Promise<Player> {
  const player = new Player(client, key)
  const message = await player.signInMessage()
  if (isOwnKey && !message.startsWith(`${client.baseUrl.host} wants you to sign in`)) {
    const [firstLine] = message.split('\n', 1)
    throw new CommandError(`${client.baseUrl.host} asked to sign for another site: "${firstLine}".`)
  }
  await player.signIn(message)
  return player
}

/** Sees to it that the stake can be bet: chips come from the faucet of local play. */
async function ensureChips(
  { player, line }: Pick<Seat, 'player' | 'line'>,
  { token, amountWei }: Pick<Wager, 'token' | 'amountWei'>,
  chips: bigint,
  bounds: PerToken<{ min: string; max: string }>,
): Promise<void> {
  const [min, max] = [BigInt(bounds[token].min), BigInt(bounds[token].max)]
  if (amountWei < min || amountWei > max) {
    throw new CommandError(`Bets go from ${showAmount(min, token)} to ${showAmount(max, token)}.`)
  }
  if (chips >= amountWei) return
  try {
    await player.takeChips(token, amountWei * STAKES_TO_TAKE)
  } catch (fault) {
    if (!(fault instanceof ServiceError) || fault.status !== 404) throw fault
    throw new CommandError(
      `You have ${showAmount(chips, token)} in chips and want to bet ${showAmount(amountWei, token)}. ` +
        'This service gives no chips away: deposit some first, or bet less with --amount.',
    )
  }
  line.print(`took ${showAmount(amountWei * STAKES_TO_TAKE, token)} in chips from the faucet`)
}

/** Checks a game and says so, check by check. */
async function isProven(client: Client, seat: Seat, game: Game): Promise<boolean> {
  const { line, player } = seat
  if (game.result.kind === 'voided') {
    line.print(`round ${game.seen.roundId} was voided: its pepper did not come in time`)
  }
  const disclosure = await within(
    () => disclosureOf(client),
    ({ rounds, voided }) =>
      [...rounds, ...voided].some(({ roundId }) => roundId === game.seen.roundId),
  )
  const chipsAfter = await within(
    async () => BigInt((await player.state()).me.chips[game.token]),
    (chips) => chips === expectedChips(game),
  )
  const checks = checkGame(game, disclosure, chipsAfter)
  for (const check of checks) console.log(checkLine(check))
  const proven = checks.every(({ holds }) => holds)
  const verdict = proven
    ? styleText(
        'green',
        `Round ${game.seen.roundId} was fair: you ${OUTCOME[game.result.kind]}, and everything holds.`,
      )
    : styleText('red', `Round ${game.seen.roundId} does not hold. Keep this output.`)
  console.log(`${verdict}\n`)
  return proven
}

const OUTCOME: Record<Game['result']['kind'], string> = {
  won: 'won',
  lost: 'lost',
  voided: 'got your stake back',
}

async function disclosureOf(client: Client): Promise<Disclosure> {
  const path = '/api/crash/verify-seeds'
  return readDisclosure(await client.get<unknown>(path), new URL(path, client.baseUrl).href)
}

/** Reads again until it is what is awaited, or patience ends: then the last reading has to do. */
async function within<T>(read: () => Promise<T>, isAwaited: (value: T) => boolean): Promise<T> {
  const patientUntil = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await read()
    if (isAwaited(value) || Date.now() >= patientUntil) return value
    await sleep(RETRY_MS)
  }
}
