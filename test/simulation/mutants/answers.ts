import type { Mutant } from './mutants.ts'

const PLAYS = 'durable-objects/ledger/plays.ts'
const OF_LIMITS = 'limits change while stakes are made'

/** Payouts above a published limit. */
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
