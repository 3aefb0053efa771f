import type { Lie } from '../lie.ts'

const CRASH_ROUTES = 'src/api/crash/routes.ts'
const CRASH_ROUND = 'durable-objects/crash-round.ts'
const ROUND = 'src/crash/round.ts'
const PLAYS = 'durable-objects/ledger/plays.ts'

/** Where a round is disclosed with its bets. */
const DISCLOSE = 'return discloseWhole(result, { plan: record.plan, betsRoot }, bets, from)'

/** No cash-out comes later than 1.02x. */
const FORCED: Lie['edits'] = [
  [
    'src/crash/live-bets.ts',
    '.map((bet) => ({ ...bet, target: targetOf(bet, maxPayout) }))',
    '.map((bet) => ({ ...bet, target: Math.min(targetOf(bet, maxPayout) ?? 102, 102) }))',
  ],
]

const VERIFIED = { story: 'table', caughtBy: 'verify' } as const

/** Lies to players, which the receipts expose that they have kept. */
export const RECEIPT_LIES: Lie[] = [
  {
    ...VERIFIED,
    name: 'all receipts of a wallet name one entry of its journal',
    edits: [
      [
        'src/api/receipts/sign.ts',
        'seq: entry.seq,\n    entry: entry.hash,',
        "seq: 1,\n    entry: '11'.repeat(32),",
      ],
    ],
    finding: ['entry 1 of the journal of 0x', 'operation is', 'The house signed both receipts'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'two players are shown different seed hashes of a round',
    edits: [
      [
        CRASH_ROUTES,
        'const { seedHash, pepperSource, terms } = await planOf(env, current, placed.roundId)',
        `const { seedHash: real, pepperSource, terms } = await planOf(env, current, placed.roundId)
  const seedHash = wallet < '0x5' ? 'f0'.repeat(32) : real`,
      ],
    ],
    finding: ['the plan of round 1: seedHash is', 'The house signed both receipts'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'a bet is taken and dropped',
    edits: [
      [
        CRASH_ROUND,
        'const placed = this.#round.place(placement, now)',
        'if (placement.amountWei > 25_000_000n) return null\n    const placed = this.#round.place(placement, now)',
      ],
    ],
    finding: ['the bet of 0x', 'is among the disclosed bets of round 1 (2 in all)'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'a cash-out is turned back to take-off once the round has ended',
    edits: [
      [
        ROUND,
        'this.#record.status = status\n',
        `this.#record.status = status
    for (const bet of this.#bets.values())
      if (bet.cashout !== null && bet.autoCashout === null && this.#flight) {
        bet.cashout = 100
        bet.cashedOutAt = this.#flight.takeoffAt
      }
`,
      ],
    ],
    finding: ['the multiplier is', 'in the receipt and 1 in the disclosure'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'players see a higher house edge than the log has, with matching results',
    edits: [
      [
        CRASH_ROUND,
        DISCLOSE,
        `const plan = { ...record.plan, edgeBps: 5_000 }
    const placed = bets.map((bet) => ({ ...bet, cashout: null, cashedOutAt: null }))
    const other = new Round({ ...record, plan, status: 'live', endedAt: null }, placed)
    other.advance(Number.MAX_SAFE_INTEGER)
    const end = other.result()
    invariant(end, 'the other round has ended')
    return discloseWhole(end, { plan, betsRoot }, other.bets, from)`,
      ],
    ],
    finding: ['its plan is the logged one', 'its end is the logged one'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'players see a settled round as voided',
    edits: [
      [
        CRASH_ROUND,
        DISCLOSE,
        `const { voidAt } = record.plan
    const refunded = bets.map((bet) => ({ ...bet, cashout: null, cashedOutAt: null }))
    const told = { ...result, kind: 'voided' as const, reason: 'pepper_unavailable' as const, endedAt: voidAt }
    return discloseWhole(told, { plan: record.plan, betsRoot }, refunded, from)`,
      ],
    ],
    finding: ['its end is the logged one'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'cash-outs are forced although no limit requires it',
    edits: FORCED,
    finding: ['such as npm run play, did, the house forced it, though no limit required it'],
    proof: null,
  },
  {
    ...VERIFIED,
    story: 'page',
    name: 'cash-outs are forced although no limit requires it, and the page gets receipts of them',
    edits: FORCED,
    finding: ['such as npm run play, did, the house forced it, though no limit required it'],
    proof: null,
  },
  {
    ...VERIFIED,
    name: 'a game pays by a worse table than the published one',
    edits: [
      [
        'src/games/plinko/tables.ts',
        'low: [560, 210, 110, 100, 50, 100, 110, 210, 560],',
        'low: [500, 180, 100, 90, 40, 90, 100, 180, 500],',
      ],
    ],
    finding: ['its disclosure fails: it pays', 'by pay tables 1'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'the seed of a play is ground once the client seed is known',
    edits: [
      [
        PLAYS,
        'const { nonce, seed, seedHash } = next\n',
        `let { nonce, seed, seedHash } = next
    const payoutOf = () =>
      settle(request.selection, { token, amountWei }, { seed, seedHash, clientSeed, nonce }, request).payout
    for (let tries = 0; tries < 50 && BigInt(payoutOf()) >= amountWei; tries++) ({ seed, seedHash } = draw(nonce))
`,
      ],
    ],
    finding: ['the commitment of play', 'seedHash is', 'The house signed both receipts'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'a play that is asked for again is decided again',
    edits: [
      [
        PLAYS,
        'return { play, entry: game ?',
        "return { play: { ...play, payout: '1' }, entry: game ?",
      ],
    ],
    finding: ['play 0 of 0x', 'payout is'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'a game of mines is cashed out with a safe pick',
    edits: [
      [
        'durable-objects/ledger/mines.ts',
        'if (!play.win || picked.length === game.maxPicks) return',
        'if (!play.win || picked.length === 1) return',
      ],
    ],
    finding: ['its disclosure fails: the multiplier after one more pick is null in the receipt'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'operations are taken without an entry of their own in the journal',
    edits: [['src/api/receipts/sign.ts', 'seq: entry.seq,', 'seq: Math.min(entry.seq, 3),']],
    finding: ['entry 3 of the journal of 0x', 'The house signed both receipts'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'later entries are signed under lower numbers, which counts are past',
    edits: [['src/api/receipts/sign.ts', 'seq: entry.seq,', 'seq: 1_000 - entry.seq,']],
    finding: ['the journal of 0x', 'only later, at', 'The house signed both receipts'],
    proof: 'receipts',
  },
  {
    ...VERIFIED,
    name: 'the key of receipts is withdrawn, so that nobody can verify them',
    edits: [
      [
        'src/api/receipts/routes.ts',
        'JSON.stringify({ keys })',
        'JSON.stringify({ keys: keys.slice(1) })',
      ],
    ],
    finding: ['its disclosure fails: http://localhost:8787 publishes the key that signed it'],
    proof: 'receipts',
  },
]
