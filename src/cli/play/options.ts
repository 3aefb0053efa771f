import { listed } from '../../core/words.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../../crash/bet.ts'
import { GAME_NAMES } from '../../games/games.ts'
import { parseDecimal, toUnits } from '../../money/decimal.ts'
import { toMultiplier, type Hundredths } from '../../money/multiplier.ts'
import { TOKENS, type Token } from '../../money/token.ts'
import { readAmount, readAmountWei } from '../shared/amounts.ts'
import { DEV_PLAYERS, devPlayer } from '../shared/dev-players.ts'
import { CommandError, is32Bytes, readArgs, wholeNumber } from '../shared/terminal.ts'
import { readWithdrawalChoice } from './cashier.ts'
import type { Wager } from './crash-game.ts'
import { readParams } from './entropy-game.ts'

/** The games paid for and won on chain, without chips. */
const PRIZE_GAMES = ['lootbox', 'box'] as const

export type PrizeGame = (typeof PRIZE_GAMES)[number]

const ALL_GAMES = ['crash', ...GAME_NAMES, ...PRIZE_GAMES]

const USAGE = `Usage: npm run play -- [options]

  --url URL        the service                    (http://localhost:8787)
  --game GAME      ${ALL_GAMES.join(', ')}  (crash)
  --params JSON    the params of ${GAME_NAMES.join(', ')}, as in the API
  --by-tile        mines: pick the tiles one by one, then cash out
  --token TOKEN    ${TOKENS.join(' or ')}                    (USDG)
  --amount A       stake in whole tokens          (1 USDG or 0.001 ETH)
  --amount-wei N   stake in smallest units
  --target X       crash: the multiplier to cash out at  (1.5)
  --rounds N       number of rounds, plays, openings or boxes  (1)
  --withdraw A     with a vault, withdraw at the end: an amount in whole tokens, all, or none
                                                  (the payouts)
  --player N       development player, from 0     (0)
  --key 0x…        another wallet's private key; PLAYER_PRIVATE_KEY in the environment keeps it out of
                   the list of processes
  --rpc URL        a node of the service's chain, to deposit and withdraw at any service with a vault

With --rpc, and at the service of npm run dev, missing chips are deposited from the player's own tokens. At
local services without a chain they come from the faucet. Lootbox and boxes need the service of npm run dev,
and are paid for with the player's own ETH. Exits with 0 if everything was played and paid and every
check passed, won or lost, and with 1 otherwise.`

/** The default stakes, in whole tokens. */
const DEFAULT_AMOUNT: Record<Token, string> = { ETH: '0.001', USDG: '1' }

const OPTIONS = {
  url: { type: 'string', default: 'http://localhost:8787' },
  game: { type: 'string', default: 'crash' },
  params: { type: 'string' },
  'by-tile': { type: 'boolean' },
  token: { type: 'string' },
  amount: { type: 'string' },
  'amount-wei': { type: 'string' },
  target: { type: 'string' },
  rounds: { type: 'string', default: '1' },
  player: { type: 'string' },
  key: { type: 'string' },
  rpc: { type: 'string' },
  withdraw: { type: 'string' },
} as const

const OF_CHIPS = [
  'params',
  'by-tile',
  'token',
  'amount',
  'amount-wei',
  'target',
  'withdraw',
] as const

type Values = {
  [name in (typeof OF_CHIPS)[number]]?: (name extends 'by-tile' ? boolean : string) | undefined
} & { game: string }

/** Reads the options. @throws CommandError if they are invalid or contradict each other */
export function readPlayOptions() {
  const { values } = readArgs(USAGE, { options: OPTIONS })
  const { key, isOwnKey } = readKey(values.key, values.player)
  const rounds = wholeNumber('--rounds', values.rounds, 1, 1000)
  const table = readTable(values)
  const rpcUrl = values.rpc ?? null
  return { url: values.url, key, isOwnKey, rpcUrl, rounds, table }
}

/** Returns the player's key. An option takes precedence over the environment. */
function readKey(option: string | undefined, player: string | undefined) {
  const own = option ?? (player === undefined ? process.env['PLAYER_PRIVATE_KEY'] : undefined)
  if (own === undefined) {
    const { privateKey } = devPlayer(wholeNumber('--player', player ?? '0', 0, DEV_PLAYERS - 1))
    return { key: privateKey, isOwnKey: false }
  }
  if (is32Bytes(own)) return { key: own, isOwnKey: true }
  const name = option === undefined ? 'PLAYER_PRIVATE_KEY' : '--key'
  throw new CommandError(`${name} must be 0x and 64 hex digits.`)
}

/** Returns the game and its stake, if any. */
function readTable(values: Values) {
  const prize = PRIZE_GAMES.find((name) => name === values.game)
  if (prize === undefined) return { kind: 'chips' as const, ...readStake(values) }
  const given = OF_CHIPS.find((name) => values[name] !== undefined)
  if (given)
    throw new CommandError(
      `--game ${prize} has a fixed price: it takes no --${given}. Remove that option.`,
    )
  return { kind: 'prize' as const, game: prize }
}

function readStake(values: Values) {
  const { token: name = 'USDG', target = '1.5' } = values
  const token = TOKENS.find((known) => known === name)
  if (!token) throw new CommandError(`--token must be ${TOKENS.join(' or ')}.`)
  const amountWei =
    values['amount-wei'] === undefined
      ? readAmount(values.amount ?? DEFAULT_AMOUNT[token], token)
      : readAmountWei(values['amount-wei'])
  const wager: Wager = { token, amountWei, target: readTarget(target) }
  const withdraw = {
    wanted: readWithdrawalChoice(values.withdraw, token),
    isAsked: values.withdraw !== undefined && values.withdraw !== 'none',
  }
  const isByTile = values['by-tile'] === true
  if (isByTile && values.game !== 'mines') throw new CommandError('--by-tile needs --game mines.')
  const entropy = readEntropy(values.game, values.params)
  return { wager, entropy: entropy && { ...entropy, isByTile }, withdraw }
}

/** Returns the entropy game and its params; null for crash. */
function readEntropy(game: string, params: string | undefined) {
  if (game === 'crash') {
    if (params !== undefined) throw new CommandError('Crash takes no --params. Use --target.')
    return null
  }
  const known = GAME_NAMES.find((name) => name === game)
  if (!known) throw new CommandError(`--game must be one of ${listed(ALL_GAMES, 'or')}.`)
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
