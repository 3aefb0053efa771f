import type { Lie } from '../lie.ts'
import { LATE_IN_LOG } from '../outage.ts'

const ROUND = 'src/crash/round.ts'
const CRASH_ROUND = 'durable-objects/crash-round.ts'
const PLAN = 'src/crash/plan.ts'
const STATE = 'src/crash/state.ts'

/** Once the beacon is out, only the seed is left to choose. */
const AT_BEACON = 'Object.assign(this.#record, { pepper, signature, pepperAt: now })'

/** A plan by which a bet is paid at most 9 USDG, whatever the bankroll is. */
const BANKRUPT = `bankroll: real = null } = opening
  const bankroll = real && { ...real, amounts: { ETH: 1_000n, USDG: 90_000_000_000n / BigInt(real.payoutBps) } }`

const MONITORED = { story: 'table', caughtBy: 'monitor', proof: 'entries' } as const

/** Lies about rounds of crash, which the log exposes. */
export const ROUND_LIES: Lie[] = [
  {
    ...MONITORED,
    name: 'the seed is ground until the round crashes early, once the beacon is known',
    edits: [
      [
        ROUND,
        AT_BEACON,
        `${AT_BEACON}
    const { roundId, edgeBps } = this.#record.plan
    while (crashPointOf({ roundId, seed: this.#record.seed, pepper, edgeBps }) > 110)
      this.#record.seed = (BigInt('0x' + this.#record.seed) + 1n).toString(16).padStart(64, '0')`,
      ],
    ],
    finding: ['the logged seed matches the planned hash'],
  },
  {
    ...MONITORED,
    name: 'the beacon is one that the house knows already',
    edits: [
      [
        PLAN,
        'const beacon = firstBeaconAfter(betsCloseAt)',
        'const beacon = firstBeaconAfter(openedAt - 3_600_000)',
      ],
    ],
    finding: ['before its beacon was published'],
  },
  {
    ...MONITORED,
    name: 'a round that would cost the house is voided',
    edits: [
      [
        ROUND,
        'if (now < flight.takeoffAt) return NO_CHANGES',
        "if (flight.crash > 101) return this.#end('voided', now, [])\n    if (now < flight.takeoffAt) return NO_CHANGES",
      ],
    ],
    finding: ['only after its deadline for the pepper'],
  },
  {
    ...MONITORED,
    name: 'a round that would cost the house is voided, dated ahead to its deadline',
    edits: [
      [
        ROUND,
        'if (now < flight.takeoffAt) return NO_CHANGES',
        "if (flight.crash > 101) return this.#end('voided', this.#record.plan.voidAt, [])\n    if (now < flight.takeoffAt) return NO_CHANGES",
      ],
    ],
    finding: ['no entry is dated later than it is shown'],
  },
  {
    ...MONITORED,
    name: 'a phantom bet that wins is added once the beacon is known',
    edits: [
      [
        ROUND,
        'this.#flight = flightOf(this.#record)\n    return true',
        `this.#flight = flightOf(this.#record)
    const phantom = { wallet: '0x0000000000000000000000000000000000000B07', token: 'USDG' as const, amountWei: 5_000_000n }
    this.#add({ ...phantom, betId: 'phantom', autoCashout: 101, placedAt: this.#record.plan.openedAt, cashout: null, cashedOutAt: null })
    return true`,
      ],
    ],
    finding: ['its bets were logged before its end, with the same root'],
  },
  {
    ...MONITORED,
    name: 'the bets are fixed only after the beacon, and dated back',
    edits: [LATE_IN_LOG, [STATE, 'betsRoot: fixedBets?.betsRoot ?? null', 'betsRoot: null']],
    finding: ['its bets were public before its beacon', 'by your clock'],
  },
  {
    ...MONITORED,
    name: 'the table shows a root over the bets, and another one is logged after the beacon',
    edits: [
      LATE_IN_LOG,
      [
        STATE,
        'betsRoot: fixedBets?.betsRoot ?? null',
        "betsRoot: fixedBets ? fixedBets.betsRoot.split('').reverse().join('') : null",
      ],
    ],
    finding: ['its bets were logged with the root that the table showed'],
  },
  {
    ...MONITORED,
    name: 'bets close so late that their root is public with the beacon',
    edits: [
      [
        PLAN,
        'return publishedAt - bettingEndsAt >= BEACON_MARGIN_MS ? bettingEndsAt : publishedAt',
        'return publishedAt - 500',
      ],
    ],
    finding: ['its bets closed', 'well before its beacon was published'],
  },
  {
    ...MONITORED,
    name: 'the table shows another seed hash than the log',
    edits: [
      [STATE, 'seedHash: plan.seedHash,', "seedHash: plan.seedHash.split('').reverse().join(''),"],
    ],
    finding: ['the table shows the seed hash', 'that were logged'],
    // The table's answers are not signed.
    proof: null,
  },
  {
    ...MONITORED,
    name: 'payouts are shortened by a hundredth',
    edits: [
      [
        'src/crash/bet.ts',
        'payoutOf(bet.amountWei, bet.cashout).toString()',
        '((payoutOf(bet.amountWei, bet.cashout) * 99n) / 100n).toString()',
      ],
    ],
    finding: ['each bet ended as the plan, the crash point and the players’ cash-outs say'],
  },
  {
    ...MONITORED,
    name: 'stakes of the house beyond all bounds force every player’s cash-out below 1.00x',
    edits: [
      [
        ROUND,
        'if (closed) this.#record.isClosed = true',
        `if (closed && this.#bets.size > 0)
      for (const wallet of ['a', 'b', 'c'].map((digit) => '0x' + digit.repeat(40))) {
        const whale = { wallet, betId: wallet, token: 'USDG' as const, amountWei: 440_000_000_000n }
        this.#add({ ...whale, autoCashout: null, placedAt: this.#record.plan.openedAt, cashout: null, cashedOutAt: null })
      }
    if (closed) this.#record.isClosed = true`,
      ],
    ],
    finding: ['the plan does not allow the stake of bet 3'],
  },
  {
    ...MONITORED,
    story: 'vault',
    name: 'the table shows the limits of a larger bankroll than the plan has',
    edits: [
      [PLAN, 'bankroll = null } = opening', BANKRUPT],
      [PLAN, 'min: limits[token].min, max: limits[token].max', "min: '1', max: '500000000'"],
      [
        PLAN,
        'maxPayout: perToken((token) => limits[token].maxPayout)',
        "maxPayout: perToken(() => '500000000000')",
      ],
    ],
    finding: ['the table shows the limits of stakes and payouts that were logged'],
    // The table's answers are not signed.
    proof: null,
  },
  {
    ...MONITORED,
    story: 'vault',
    name: 'stakes above the plan’s bounds are paid below 1.00x by its limit of a payout',
    edits: [
      [PLAN, 'bankroll = null } = opening', BANKRUPT],
      [
        PLAN,
        'if (amountWei <= largest) return checkBounds(amountWei, bounds)',
        'if (bounds) return null',
      ],
      [
        'src/ledger/refusals.ts',
        'if (min <= amountWei && amountWei <= max) return null',
        'if (amountWei) return null',
      ],
    ],
    finding: ['the plan does not allow the stake of bet 0'],
  },
  {
    ...MONITORED,
    name: 'the edge of rounds is raised under the same terms',
    edits: [[PLAN, 'edgeBps: rules.edgeBps,', 'edgeBps: rules.edgeBps + 200,']],
    finding: ['its plan has the edge, the limits and the kind of pepper that its terms say'],
  },
  {
    ...MONITORED,
    story: 'late visitor',
    name: 'past rounds are rewritten: other seeds, other ends, all in agreement',
    edits: [
      [
        CRASH_ROUND,
        "import { saveRound, saveWithoutBets } from '../src/history/rounds.ts'",
        "import { commitmentOf } from '../src/fairness/seed.ts'\nimport { saveRound, saveWithoutBets } from '../src/history/rounds.ts'",
      ],
      [
        CRASH_ROUND,
        'return discloseWhole(result, { plan: record.plan, betsRoot }, bets, from)',
        `if (this.#kernel.clock.now() < result.endedAt + 60_000)
      return discloseWhole(result, { plan: record.plan, betsRoot }, bets, from)
    const seed = commitmentOf(record.seed)
    const plan = { ...record.plan, seedHash: commitmentOf(seed) }
    const placed = bets.map((bet) => ({ ...bet, cashout: null, cashedOutAt: null }))
    const other = new Round({ ...record, plan, seed, status: 'live', endedAt: null }, placed)
    other.advance(Number.MAX_SAFE_INTEGER)
    const end = other.result()
    invariant(end, 'the other round has ended')
    return discloseWhole(end, { plan, betsRoot: other.fixedBets.betsRoot }, other.bets, from)`,
      ],
    ],
    finding: ['its plan is the logged one'],
  },
  {
    ...MONITORED,
    story: 'patient visitor',
    name: 'an ended round is never disclosed',
    edits: [
      [
        'src/api/crash/routes.ts',
        'if (isRefusal(ended)) return ended\n  // A round that nobody bet in',
        'if (isRefusal(ended) || roundId === 2) return NO_ENDED_ROUND\n  // A round that nobody bet in',
      ],
    ],
    finding: ['each ended round is disclosed'],
  },
]
