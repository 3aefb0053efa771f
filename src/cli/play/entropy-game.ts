import { randomBytes } from 'node:crypto'
import { styleText } from 'node:util'
import { SelectionBody } from '../../api/games/schema.ts'
import { parseJson } from '../../api/http/body.ts'
import { validate } from '../../api/http/schema.ts'
import { isRefusal } from '../../core/refusal.ts'
import { specOf, type GameName, type Selection } from '../../games/games.ts'
import type { Token } from '../../money/token.ts'
import type { Player } from '../shared/player.ts'
import { checkLine, CommandError } from '../shared/terminal.ts'
import { checkPlayed } from './entropy-checks.ts'
import { sketchLines } from './entropy-view.ts'

/** What to play. */
export interface EntropyWager {
  game: GameName
  /** As it goes over the wire. */
  params: object
  /** What the params mean, defaults included. */
  selection: Selection
  token: Token
  amountWei: bigint
}

/**
 * Params given as an option, as JSON, by the same rules as the service's; those of the game's
 * example where none are given.
 */
export function readParams(
  game: GameName,
  text: string | undefined,
): Pick<EntropyWager, 'params' | 'selection'> {
  const example = JSON.stringify(specOf(game).example)
  const json = text ?? example
  const selection = validate(SelectionBody, { game, params: parseJson(json) })
  if (!isRefusal(selection)) {
    return { params: JSON.parse(json) as object, selection: selection.value }
  }
  const { details } = selection.error
  const problems = Array.isArray(details)
    ? details.map(({ path, message }) => `\n  ${path}: ${message}`).join('')
    : ''
  throw new CommandError(`--params of ${game} must be a JSON object like '${example}'.${problems}`)
}

/** What a play came to. */
export interface PlayedEntropy {
  isFair: boolean
  /** In smallest units; 0 if it was lost. */
  payoutWei: bigint
}

/** Plays once with a fresh seed of the player's own, and checks everything about it. */
export async function playEntropy(player: Player, wager: EntropyWager): Promise<PlayedEntropy> {
  const { game, params, token, amountWei } = wager
  const chipsBefore = BigInt((await player.state()).me.chips[token])
  const { fairness, edgeBps, tables } = await player.terms()
  const { nonce, seedHash } = fairness
  // Drawn only now: the house was committed before it could know.
  const clientSeed = randomBytes(16).toString('hex')
  console.log(`play ${nonce}: ${game} ${JSON.stringify(params)}`)
  console.log(`  seed hash    ${seedHash}`)
  console.log(`  client seed  ${clientSeed}`)
  const sent = { game, params, token, amountWei: amountWei.toString(), clientSeed, nonce }
  const answer = await player.play(sent)
  const next = (await player.terms()).fairness
  const deal = { ...wager, seedHash, clientSeed, nonce, edgeBps, tables, chipsBefore }
  const checks = checkPlayed(deal, answer, next)
  for (const line of sketchLines(answer)) console.log(`    ${line}`)
  for (const check of checks) console.log(checkLine(check))
  const isFair = checks.every(({ holds }) => holds)
  const outcome = `it paid ${answer.multiplier}x, and every check passed`
  const verdict = isFair
    ? styleText('green', `Play ${nonce} was fair: ${outcome}.`)
    : styleText('red', `Play ${nonce} failed a check. Keep this output as evidence.`)
  console.log(`${verdict}\n`)
  return { isFair, payoutWei: BigInt(answer.payout) }
}
