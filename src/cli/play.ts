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
import { Cashier, readWanted } from './cashier.ts'
import { Client } from './client.ts'
import { DEV_PLAYERS, devPlayer } from './dev-players.ts'
import { readDisclosure } from './disclosure.ts'
import { playEntropy, readParams, type EntropyWager } from './entropy-game.ts'
import { checkGame, expectedChips } from './game-checks.ts'
import { playGame, type Game, type Seat, type Wager } from './game.ts'
import { LiveTable } from './live-table.ts'
import { MANIFEST } from './manifest.ts'
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
  --withdraw A     at a service with a vault, withdraw at the end: an amount in whole tokens,
                   all, or none                   (what the play paid out)
  --player N       development player, from 0     (0)
  --key 0x…        another wallet's private key

At the service of npm run dev missing chips are deposited from the player's own tokens, at others
without a chain they come from the faucet. Ends with 0 if everything was played and paid and everything
about it holds, won or lost.`

/** Stakes where none is given, in whole tokens. */
const DEFAULT_AMOUNT: Record<Token, string> = { ETH: '0.001', USDG: '1' }

/** How long the disclosure and the payout may take once a round is over. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

void runCommand(async () => {
  const { wager, entropy, rounds, withdraw, ...options } = readOptions()
  const { token } = wager
  const line = new LiveLine()
  const client = new Client(options.url, (seconds) =>
    line.print(`too many calls; waiting ${seconds} s, as the service asks`),
  )
  const player = await signIn(client, options.key, options.isOwnKey)
  console.log(`Playing at ${client.baseUrl.origin} as ${player.wallet}`)
  const cashier = await Cashier.at(client.baseUrl, options.key, player, line)
  if (!cashier.hasVault && withdraw.isAsked) {
    throw new CommandError(`--withdraw needs the chain of npm run dev: no ${MANIFEST} names one.`)
  }
  const paidWei = entropy
    ? await playPlays(player, cashier, { ...wager, ...entropy }, rounds)
    : await playRounds({ player, line, table: new LiveTable(player, line) }, cashier, wager, rounds)
  if (paidWei === null) return 1
  return (await cashier.payOut(token, withdraw.wanted, paidWei)) ? 0 : 1
})

/** Plays so many rounds of crash. What they paid out, in smallest units; null if one does not hold. */
async function playRounds(
  seat: Seat,
  cashier: Cashier,
  wager: Wager,
  rounds: number,
): Promise<bigint | null> {
  let paidWei = 0n
  let voids = 0
  for (let played = 0; played < rounds;) {
    const { me, config } = await seat.player.state()
    expectWithin(wager, config.bounds)
    await cashier.provide(wager.token, wager.amountWei, BigInt(me.chips[wager.token]))
    const game = await playGame(seat, wager)
    if (!(await isProven(seat, game))) return null
    if (game.result.kind === 'won') paidWei += game.result.payoutWei
    if (game.result.kind !== 'voided') played++
    else if (++voids > rounds) throw new CommandError('Too many rounds were voided; try later.')
  }
  return paidWei
}

/** Plays an entropy game so many times, likewise. */
async function playPlays(
  player: Player,
  cashier: Cashier,
  wager: EntropyWager,
  plays: number,
): Promise<bigint | null> {
  let paidWei = 0n
  for (let played = 0; played < plays; played++) {
    const [{ me }, { bounds }] = await Promise.all([player.state(), player.terms()])
    expectWithin(wager, bounds)
    await cashier.provide(wager.token, wager.amountWei, BigInt(me.chips[wager.token]))
    const { isFair, payoutWei } = await playEntropy(player, wager)
    if (!isFair) return null
    paidWei += payoutWei
  }
  return paidWei
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
      withdraw: { type: 'string' },
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
  const withdraw = {
    wanted: readWanted(values.withdraw, token),
    isAsked: values.withdraw !== undefined && values.withdraw !== 'none',
  }
  const { url } = values
  return { wager, entropy, rounds, withdraw, url, key, isOwnKey: values.key !== undefined }
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

/** @throws CommandError where the service takes no such stake */
function expectWithin(
  { token, amountWei }: Pick<Wager, 'token' | 'amountWei'>,
  bounds: PerToken<{ min: string; max: string }>,
): void {
  const [min, max] = [BigInt(bounds[token].min), BigInt(bounds[token].max)]
  if (amountWei >= min && amountWei <= max) return
  throw new CommandError(`Bets go from ${showAmount(min, token)} to ${showAmount(max, token)}.`)
}

/** Checks a game and says so, check by check. */
async function isProven({ line, player }: Seat, game: Game): Promise<boolean> {
  if (game.result.kind === 'voided') {
    line.print(`round ${game.seen.roundId} was voided: its pepper did not come in time`)
  }
  const disclosure = await within(
    () => disclosureOf(player),
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

async function disclosureOf(player: Player): Promise<Disclosure> {
  const path = '/api/crash/verify-seeds'
  const { client } = player
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
