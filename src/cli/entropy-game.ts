import { randomBytes } from 'node:crypto'
import { styleText } from 'node:util'
import { GAMES } from '../entropy/play.ts'
import { verifyPlay } from '../entropy/verify.ts'
import type { Check } from '../fairness/check.ts'
import type { PlayAnswer } from '../ledger/play.ts'
import type { Token } from '../money/token.ts'
import { showAmount } from './amounts.ts'
import { drawPlay } from './entropy-view.ts'
import type { Player } from './player.ts'
import { readPlays } from './plays.ts'
import { checkLine, CommandError } from './terminal.ts'

export type EntropyGame = (typeof GAMES)[number]

/** What to play, as it goes over the wire. */
export interface EntropyWager {
  game: EntropyGame
  params: object
  token: Token
  amountWei: bigint
}

/** What is played where nothing is said. */
const DEFAULT_PARAMS: Record<EntropyGame, object> = {
  mines: { mines: 3, pick: 3 },
  limbo: { target: 2 },
  plinko: { risk: 'medium' },
  keno: { picks: [7, 14, 21, 28, 35] },
}

/** Params given as an option, as JSON; those of the game's default where none are given. */
export function readParams(game: EntropyGame, text: string | undefined): object {
  if (text === undefined) return DEFAULT_PARAMS[game]
  try {
    const params: unknown = JSON.parse(text)
    if (typeof params === 'object' && params !== null) return params
  } catch {
    // Told below.
  }
  const example = JSON.stringify(DEFAULT_PARAMS[game])
  throw new CommandError(`--params must be a JSON object like '${example}'.`)
}

/** Plays once with a fresh seed of the player's own, and checks everything about it. */
export async function playEntropy(player: Player, wager: EntropyWager): Promise<boolean> {
  const { game, params, token, amountWei } = wager
  const seen = await player.nextPlay()
  const chipsBefore = BigInt((await player.state()).me.chips[token])
  const clientSeed = randomBytes(16).toString('hex')
  console.log(`play ${seen.nonce}: ${game} ${JSON.stringify(params)}`)
  console.log(`  seed hash    ${seen.seedHash}`)
  console.log(`  client seed  ${clientSeed}`)
  const sent = { game, params, token, amountWei: amountWei.toString(), clientSeed }
  const answer = await player.play({ ...sent, nonce: seen.nonce })
  for (const line of drawPlay(answer)) console.log(`    ${line}`)
  const next = await player.nextPlay()
  const checks = [
    ...verifyPlayed(answer, seen.seedHash),
    ...checkDeal(answer, { ...wager, clientSeed, nonce: seen.nonce }),
    {
      claim: 'the next play is committed to as the answer says',
      holds: next.nonce === seen.nonce + 1 && next.seedHash === answer.nextSeedHash,
    },
    checkChips(answer, token, amountWei, chipsBefore),
  ]
  for (const check of checks) console.log(checkLine(check))
  const isFair = checks.every(({ holds }) => holds)
  const outcome = `it paid ${answer.multiplier}x, and everything holds`
  const verdict = isFair
    ? styleText('green', `Play ${seen.nonce} was fair: ${outcome}.`)
    : styleText('red', `Play ${seen.nonce} does not hold. Keep this output.`)
  console.log(`${verdict}\n`)
  return isFair
}

function verifyPlayed(answer: PlayAnswer, seenSeedHash: string): Check[] {
  return readPlays(answer, 'The answer').flatMap((play) => verifyPlay(play, seenSeedHash))
}

/** The play that was settled is the one that was asked for. */
function checkDeal(
  answer: PlayAnswer,
  { game, params, token, amountWei, clientSeed, nonce }: EntropyWager & SentSeed,
): Check[] {
  const isAsked =
    answer.game === game &&
    answer.token === token &&
    answer.amount === amountWei.toString() &&
    Object.entries(params).every(([name, value]) => isChosen(answer.meta, name, value))
  return [
    {
      claim: 'your own client seed took part, under the number you gave',
      holds: answer.clientSeed === clientSeed && answer.nonce === nonce,
    },
    { claim: 'it is what you asked for', holds: isAsked },
  ]
}

interface SentSeed {
  clientSeed: string
  nonce: number
}

/** Whether a result tells of a choice what was chosen; `pick` and `mines` are told as tiles. */
function isChosen(meta: object, name: string, value: unknown): boolean {
  const told: unknown = Object.entries(meta).find(
    ([key]) => key === (name === 'pick' ? 'picked' : name),
  )?.[1]
  if (Array.isArray(told) && typeof value === 'number') return told.length === value
  return JSON.stringify(told) === JSON.stringify(value)
}

function checkChips(answer: PlayAnswer, token: Token, stake: bigint, before: bigint): Check {
  const after = BigInt(answer.me.chips[token])
  return {
    claim: `your chips add up: ${showAmount(before, token)} before, ${showAmount(after, token)} after`,
    holds: after === before - stake + BigInt(answer.payout),
  }
}
