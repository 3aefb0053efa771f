import { tierOfBox } from '../../box-nft/tier.ts'
import type { Step } from '../../fairness/check.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import type { ParamField } from '../../games/fields.ts'
import {
  GAME_NAMES,
  newestTables,
  specOf,
  wireNameOf,
  type GameName,
  type Selection,
} from '../../games/games.ts'
import { settle } from '../../games/play.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../lootbox/prizes.ts'
import { tierSteps } from '../verify/box.ts'
import { crashSteps } from '../verify/crash.ts'
import { rollSteps } from '../verify/opening.ts'
import { playSteps } from '../verify/play.ts'

/** The examples of reference/fairness.md. */
const ROUND = {
  roundId: 42,
  seed: 'a3f1c05e7b92d4486f0e1d2c3b4a59687766554433221100ffeeddccbbaa9988',
  pepper: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
  edgeBps: 100,
}
const DRAW = {
  seed: '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d',
  clientSeed: 'v750-_nL',
  nonce: 1,
}
const PAYMENT = {
  txHash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  blockHash: '0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6',
}
const BOX = 77_194_726_158_210_796_949_047_323_339_125_271_902_179_989_777_093_709_359_638n
const ODDS = [6_000, 2_500, 1_000, 500]

const EDGE_BPS = 100

/** Returns the steps of a result that anyone can recompute; empty for a game without an example. */
export function exampleOf(game: string): Step[] {
  if (game === 'crash') {
    const { seed } = ROUND
    return [
      { name: 'The house’s seed, revealed after the round', value: seed },
      { name: 'SHA-256 of the seed’s bytes, shown before', value: commitmentOf(seed) },
      { name: 'Pepper', value: ROUND.pepper },
      ...crashSteps(ROUND),
    ]
  }
  if (game === 'lootbox') return openingExample()
  if (game === 'boxes') return boxExample()
  const name = GAME_NAMES.find((each) => each === game)
  return name ? playExample(name) : []
}

function openingExample(): Step[] {
  const { seed } = ROUND
  const message = paymentMessage(PAYMENT.txHash, PAYMENT.blockHash)
  const tier = tierOfRoll(
    rollOf(seed, message),
    ODDS.map((bps) => ({ bps })),
  )
  return [
    { name: 'Seed of the day, revealed after it', value: seed },
    { name: 'SHA-256 of the seed’s bytes, shown before', value: commitmentOf(seed) },
    { name: 'Your payment and its block: the message', value: message },
    ...rollSteps(seed, message, ODDS),
    { name: 'First tier whose summed chances exceed the scaled roll', value: nth(tier) },
  ]
}

function boxExample(): Step[] {
  const { pepper } = ROUND
  const tiers = ODDS.map((bps) => ({ bps, prize: 0n }))
  return [
    { name: 'Box id, drawn by the contract at the purchase', value: String(BOX) },
    {
      name: 'SHA-256 of the pepper’s bytes, on chain before the sale',
      value: commitmentOf(pepper),
    },
    ...tierSteps(BOX, pepper, ODDS),
    {
      name: 'First tier whose summed chances exceed the remainder',
      value: nth(tierOfBox(BOX, pepper, tiers)),
    },
  ]
}

function nth(tier: number): string {
  return `Tier ${tier + 1} of ${ODDS.length}`
}

function playExample(game: GameName): Step[] {
  const stake = { token: 'ETH' as const, amountWei: 10n ** 15n }
  const terms = { edgeBps: EDGE_BPS, tables: newestTables() }
  const seedHash = commitmentOf(DRAW.seed)
  return playSteps(settle(exampleSelection(game), stake, { ...DRAW, seedHash }, terms))
}

/** Returns the choices of a game's example request. */
export function exampleSelection(game: GameName): Selection {
  const { params, example } = specOf(game)
  const sent = example as Record<string, unknown>
  const entries = Object.entries<ParamField>(params).map(([name, field]) => [
    name,
    valueOf(field, sent[wireNameOf(name, field)]),
  ])
  return { game, params: Object.fromEntries(entries) }
}

function valueOf(field: ParamField, sent: unknown): unknown {
  if (sent === undefined) return 'fallback' in field ? field.fallback : undefined
  if (field.kind === 'hundredths') return Math.round(Number(sent) * 100)
  if (field.kind !== 'distinct' || typeof sent !== 'number') return sent
  return Array.from({ length: sent }, (_, index) => field.min + index)
}
