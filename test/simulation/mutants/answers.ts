import { hasFullRounds } from '../world/traits.ts'
import { hasTightLimits } from '../world/variables.ts'
import type { Mutant } from './mutants.ts'

const PLAYS = 'durable-objects/ledger/plays.ts'
const OF_LIMITS = 'limits change while stakes are made'

/** Payouts and stakes above a published limit. */
export const PAYOUT_MUTANTS: Mutant[] = [
  {
    name: 'a bet pays above its limit',
    edits: [
      [
        'src/crash/bet.ts',
        'const capped = cap < BigInt(MAX_MULTIPLIER) ? Number(cap) : null',
        'const capped = cap < 0n ? Number(cap) : null',
      ],
    ],
    within: 500,
    needs: hasTightLimits,
  },
  {
    name: 'a play pays above its limit',
    edits: [
      [
        'src/games/play-request.ts',
        '  if (scaleDown(amountWei, bestMultiplier(selection, request)) <= maxPayout) return null\n',
        '  if (maxPayout > 0n) return null\n',
      ],
      [
        PLAYS,
        '    invariant(BigInt(settled.payout) <= request.maxPayout, `play ${nonce} pays above the limit`)\n',
        '',
      ],
    ],
    within: 500,
    needs: hasTightLimits,
  },
  {
    name: 'a round pays above its limit',
    edits: [
      [
        'src/crash/live-bets.ts',
        'const exposure = exposureStop(bets, limitWei) ?? Infinity',
        'const exposure = exposureStop(bets, limitWei) === 0 ? 0 : Infinity',
      ],
      [
        'src/crash/live-bets.ts',
        "    invariant(this.#paidWei <= this.#limitWei, 'a round paid more than its published limit')\n",
        '',
      ],
    ],
    within: 2_000,
    needs: (random) => hasTightLimits(random) && hasFullRounds(random),
  },
  {
    name: 'a stake may exceed the room',
    edits: [
      [
        'src/crash/plan.ts',
        '  if (amountWei <= largest) return checkBounds(amountWei, bounds)\n',
        '  if (largest >= 0n) return checkBounds(amountWei, bounds)\n',
      ],
    ],
    within: 500,
    needs: (random) => hasTightLimits(random) && hasFullRounds(random),
  },
]

/** Answers that repeat or show something else. */
export const ANSWER_MUTANTS: Mutant[] = [
  {
    name: 'a repeated play has another text',
    edits: [
      [
        PLAYS,
        '    return { play, entry: game ?',
        '    const turned = Object.fromEntries(Object.entries(play).toReversed()) as never\n    return { play: turned, entry: game ?',
      ],
    ],
    within: 200,
  },
  {
    name: 'a repeated pick shows the game as it is now',
    edits: [
      [
        'durable-objects/ledger/mines.ts',
        '    if (after?.nonce === nonce) return stepOf(after, entryRef(step))\n',
        '    if (after?.nonce === nonce) return stepOf(this.#held?.nonce === nonce ? this.#held : after, entryRef(step))\n',
      ],
    ],
    within: 1_000,
  },
  {
    name: 'players are shown constant chips',
    edits: [
      [
        'durable-objects/ledger/shown.ts',
        "chips: kernel.amountsOf('chips'),",
        "chips: { ETH: '0', USDG: '1000000000' },",
      ],
    ],
    within: 100,
  },
  {
    name: 'a partner is shown more chips than a player has',
    edits: [
      [
        'src/api/wallet-bridge/routes.ts',
        'balanceBody(currency, chips)',
        'balanceBody(currency, chips + 1n)',
      ],
    ],
    within: 100,
  },
  {
    name: 'a disclosed bet has the stake as its payout',
    edits: [['src/crash/disclosure.ts', 'payout: payoutWei }', 'payout: amountWei }']],
    within: 100,
  },
  {
    name: 'a permission that was revoked is still there',
    edits: [
      [
        'durable-objects/ledger/permissions.ts',
        "    this.#change(partner, token, ['revoke'], revoked)\n",
        "    void this\n    if (nonce >= 0) return { partner, token, nonce: revoked.nonce, maxPerDayWei: '0', expiresAt: null, usedWei: '0' }\n",
      ],
    ],
    within: 5_000,
    theme: OF_LIMITS,
  },
  {
    name: 'a removed limit is answered and not stored',
    edits: [
      [
        'durable-objects/ledger/limits.ts',
        '    if (protection === before) return null\n',
        "    if (protection === before || change.action === 'readmit' || change.action === 'remove') return null\n",
      ],
    ],
    within: 5_000,
    theme: OF_LIMITS,
  },
]
