import { specOf, GAME_NAMES } from '../../games/games.ts'

/** The rules of each game in a few plain sentences. A game without its own has its rule only. */
const RULES: Record<string, string[]> = {
  crash: [
    'Everyone plays the same round. Place a bet before bets close.',
    'The multiplier starts at 1.00x and rises until it crashes. Cash out before the crash and you win your stake times the multiplier. Otherwise you lose your stake.',
    'An auto cash-out takes you out at the multiplier that you set, even if you lose your connection.',
    'If a round can’t get its public randomness, it is void and every bet is refunded.',
  ],
  mines: [
    'Pick tiles one by one and cash out after any of them, or pick several at once.',
    'The mines are fixed before your first pick. The tiles that you pick don’t move them.',
    'A game that you leave is cashed out 24 hours after it opened. If you haven’t picked a tile by then, your stake returns.',
  ],
  limbo: [
    'Choose a target. If the result is at least your target, you win your stake times the target, not times the result.',
  ],
  plinko: [
    'At each row of pegs, the ball goes left or right with equal chances. Buckets at the edges pay most and are reached least.',
    'High risk pays more at the edges and less in the middle.',
  ],
  keno: ['There are 40 numbers. The pay table of your risk sets what each number of hits pays.'],
  lootbox: [
    'Pay the price from your wallet. Your payment, its block and the seed of the day decide the tier, and the prize is sent to your wallet.',
    'Price and prizes are those at the time of your payment. A prize that can’t be paid at once stays owed to you.',
    'A free spin has prizes of its own. Each wallet gets one a day, for a public post.',
  ],
  boxes: [
    'A box is a token in your wallet. Buying, revealing and claiming take one wallet confirmation each.',
    'The contract draws the box’s number at the purchase. The number and the batch’s secret decide the tier. A hash of that secret is on chain before the sale.',
  ],
}

/** Returns the rules of a game, one paragraph each. */
export function rulesOf(game: string): string[] {
  const name = GAME_NAMES.find((each) => each === game)
  const own = RULES[game] ?? []
  return name ? [specOf(name).rule, ...own] : own
}

/** How results are fixed and verified, for the whole site. */
export const FAIRNESS: [title: string, paragraphs: string[]][] = [
  [
    'Fixed before you bet',
    [
      'Every result follows from a secret seed. The house draws it and shows you its SHA-256 hash before you bet. Nobody can find another seed with the same hash, so the house can’t change it later.',
      'After the result, the house reveals the seed. You can check that its hash is the one you saw.',
    ],
  ],
  [
    'Not chosen by the house',
    [
      'The seed alone doesn’t decide. In crash, a public beacon (drand) adds randomness that appears only after bets close. In mines, limbo, plinko and keno, your browser adds a client seed after it has seen the hash. In the lootbox, your payment and its block are part of the draw.',
      'So the house can’t pick a seed that suits it: it doesn’t know the other part.',
    ],
  ],
  [
    'Checked by you',
    [
      'Every round, bet and play has a permanent page that recomputes it in your own browser, step by step. This page remembers the hashes that it showed you, and compares.',
      'The exact rules are public. You can recompute any result with a few lines of your own, or with the open-source verifier.',
      'The house also publishes what it commits to in an append-only log, so it can’t show different players different hashes without being caught.',
    ],
  ],
]
