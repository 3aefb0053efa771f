import { randomBytes } from 'node:crypto'
import { SelectionBody } from '../../api/games/schema.ts'
import { validate } from '../../api/http/schema.ts'
import { parseJson } from '../../core/json.ts'
import { isRefusal } from '../../core/refusal.ts'
import { specOf, wireParams, type GameName, type Selection } from '../../games/games.ts'
import type { Token } from '../../money/token.ts'
import { showAmount } from '../shared/amounts.ts'
import type { Player } from '../shared/player.ts'
import { CommandError, printChecks, say } from '../shared/terminal.ts'
import { checkPlayed } from './entropy-checks.ts'
import { showSketch } from './entropy-view.ts'
import { pickByTile, type Picked } from './mines-by-tile.ts'
import type { Receipts } from './receipts.ts'

/** A game to play, with its params. */
export interface EntropyWager {
  game: GameName
  /** In wire form. */
  params: object
  /** The parsed params, including defaults. */
  selection: Selection
  token: Token
  amountWei: bigint
  /** Whether the tiles of mines are picked one by one. */
  isByTile?: boolean
}

/**
 * Parses the --params option by the service's own rules. Without it, returns the params of the game's example.
 */
export function readParams(
  game: GameName,
  text: string | undefined,
): Pick<EntropyWager, 'params' | 'selection'> {
  const example = JSON.stringify(specOf(game).example)
  const json = text ?? example
  const parsed = parseJson(json)
  if (parsed === undefined) {
    throw new CommandError(`--params is not valid JSON. It must be an object like '${example}'.`)
  }
  const selection = validate(SelectionBody, { game, params: parsed })
  if (!isRefusal(selection)) {
    return { params: JSON.parse(json) as object, selection: selection.value }
  }
  const { details } = selection.error
  const problems = Array.isArray(details)
    ? details.map(({ path, message }) => `\n  ${path}: ${message}`).join('')
    : ''
  throw new CommandError(`--params of ${game} must be a JSON object like '${example}'.${problems}`)
}

/**
 * Plays once with a fresh client seed, and checks everything about the play.
 * @returns the payout in smallest units, 0 for a loss; null if a check fails
 */
export async function playEntropy(
  player: Player,
  receipts: Receipts,
  wager: EntropyWager,
): Promise<bigint | null> {
  const { game, params, token, amountWei } = wager
  const chipsBefore = BigInt((await player.state()).me.chips[token])
  const { fairness, edgeBps, tables, maxPayout } = await player.terms()
  const limits = { edgeBps, maxPayout: BigInt(maxPayout[token]) }
  const { nonce, seedHash } = fairness
  // Drawn only now, after the house has committed to its seed.
  const clientSeed = randomBytes(16).toString('hex')
  say(`play ${nonce}: ${game}, ${showAmount(amountWei, token)}, ${JSON.stringify(params)}`)
  say(`  seed hash    ${seedHash}`)
  say(`  client seed  ${clientSeed}`)
  const sent = { game, params, token, amountWei: amountWei.toString(), clientSeed, nonce }
  const atOnce = { selection: wager.selection, last: null, seen: {}, checks: [] }
  const { answer, selection, last, seen, checks }: Picked =
    wager.isByTile && wager.selection.game === 'mines'
      ? await pickByTile(player, receipts, sent, wager.selection.params, limits)
      : { ...atOnce, answer: await player.play(sent) }
  const next = (await player.terms()).fairness
  const shown = { seedHash, nonce, edgeBps, tables }
  const deal = { ...wager, ...shown, selection, clientSeed, chipsBefore, seen }
  const { nextSeedHash, payout, receipt } = answer
  // The receipt has the params as the service reads them.
  const facts = { ...sent, params: wireParams(selection), seedHash, nextSeedHash, payout }
  checks.push(
    ...checkPlayed(deal, answer, next),
    ...(await receipts.check(receipt, last ?? { kind: 'play', ...facts })),
  )
  showSketch(answer)
  const isFair = printChecks(
    checks,
    `Play ${nonce} was fair: it paid ${answer.multiplier}x, and every check passed.`,
    `Play ${nonce} failed a check. Keep this output as evidence.`,
  )
  say()
  return isFair ? BigInt(answer.payout) : null
}
