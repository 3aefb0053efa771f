import { hasOutage } from '../world/outages.ts'
import type { Mutant } from './mutants.ts'

const ALARM = 'durable-objects/kernel/alarm.ts'
const ARCHIVE = 'durable-objects/ledger/archive.ts'
const BETS = 'durable-objects/ledger/bets.ts'
const KERNEL = 'durable-objects/ledger/kernel.ts'
const GAME_ROUTES = 'src/api/games/routes.ts'
const OPERATIONS = 'durable-objects/ledger/journal.ts'
const OUTBOX = 'durable-objects/kernel/outbox.ts'
const PLAYS = 'durable-objects/ledger/plays.ts'
const SEGMENTS = 'durable-objects/ledger/segments.ts'

export const LEDGER_MUTANTS: Mutant[] = [
  {
    name: 'a bet may be settled twice',
    edits: [
      [
        BETS,
        '      invariant(first.kind === outcome.kind, `bet ${betId} was ${first.kind}, now ${outcome.kind}`)\n',
        "      this.#kernel.commit(at, () => { this.#kernel.journal.record({ id: `again:${betId}:${at}`, request: '', at }, { postings: outcome.kind === 'won' ? [{ token: 'USDG', from: 'house', to: 'chips', amountWei: String(outcome.payoutWei) }] : [], result: outcome }) })\n",
      ],
    ],
    within: 300,
  },
  {
    name: 'the journal is not read again after a failed transaction',
    edits: [
      [
        OPERATIONS,
        '  forget(): void {\n    this.#latest = null',
        '  forget(): void {\n    void this.#latest',
      ],
    ],
    within: 500,
  },
  {
    name: 'the message to D1 is written after the movement',
    edits: [
      [
        KERNEL,
        "        this.outbox.add({ kind: PROJECTION, payload: '' }, at + projectionDelayMs(this.wallet))\n",
        "        setTimeout(() => this.outbox.add({ kind: PROJECTION, payload: '' }, at + projectionDelayMs(this.wallet)), 20)\n",
      ],
    ],
    within: 3_000,
    theme: 'D1 is slow and loses messages',
  },
  {
    name: 'a message that has failed seven times is dropped',
    edits: [
      [
        OUTBOX,
        '      const attempts = row.attempts + 1\n',
        '      if (row.attempts >= 6) return void this.#delivered.push(row.id)\n      const attempts = row.attempts + 1\n',
      ],
    ],
    within: 500,
    needs: hasOutage,
  },
  {
    name: 'the pauses between the tries of a message grow tenfold',
    edits: [
      [OUTBOX, 'FIRST_RETRY_MS * 2 ** (attempts - 1)', 'FIRST_RETRY_MS * 10 ** (attempts - 1)'],
    ],
    within: 2_000,
    needs: hasOutage,
  },
  {
    name: 'a message to D1 counts as delivered before it is',
    edits: [
      [
        OUTBOX,
        '      await answerWithin(DELIVERY_MS, this.#deliver(row))\n      this.#delivered.push(row.id)\n',
        '      this.#delivered.push(row.id)\n      await answerWithin(DELIVERY_MS, this.#deliver(row))\n',
      ],
    ],
    within: 1_000,
  },
  {
    name: 'the alarm is set outside the write that needs it',
    edits: [
      [
        ALARM,
        '    void this.#storage.setAlarm(dueAt)',
        '    setTimeout(() => void this.#storage.setAlarm(dueAt), 20)',
      ],
    ],
    within: 500,
  },
  {
    name: 'a movement during the sending of a position is not sent',
    edits: [[KERNEL, 'if (this.journal.latest().seq > seq) this', 'if (false) this']],
    within: 5_000,
    theme: 'D1 is slow and loses messages',
  },
  {
    name: 'an older position replaces a newer one',
    edits: [
      [
        'src/history/positions.ts',
        'WHERE excluded.version >= ledger_positions.version',
        'WHERE true',
      ],
    ],
    within: 5_000,
    theme: 'D1 is slow and loses messages',
  },
]

export const ARCHIVE_MUTANTS: Mutant[] = [
  {
    name: 'a segment is dropped before the archive has it',
    edits: [
      [ARCHIVE, '    await this.#check(segment, fileHash)\n', ''],
      [
        ARCHIVE,
        '    const isNew = await answerWithin(DELIVERY_MS, putOnce(ARCHIVE, key, bytes))\n',
        '    const isNew = true\n    void answerWithin(DELIVERY_MS, putOnce(ARCHIVE, key, bytes)).catch(() => {})\n',
      ],
    ],
    within: 200,
  },
  {
    name: 'the segments that are here are not read again after a failed transaction',
    edits: [
      [
        SEGMENTS,
        '  forget(): void {\n    this.#here = null',
        '  forget(): void {\n    void this.#here',
      ],
    ],
    within: 1_000,
  },
  {
    name: 'a call that needs an archived segment is refused permanently',
    edits: [[ARCHIVE, "      'archive_unavailable',", "      'not_found',"]],
    within: 2_000,
    theme: 'the archive does not answer',
  },
]

export const PLAY_MUTANTS: Mutant[] = [
  {
    name: 'a repeated play is another play',
    edits: [
      [PLAYS, 'if (request.nonce !== null && request.nonce < next.nonce)', 'if (false)'],
      [
        'src/games/play-request.ts',
        'if (nonce === null || nonce === nextNonce) return null',
        'return null',
      ],
    ],
    within: 300,
  },
  {
    name: 'a play without a number is repeated',
    edits: [
      [
        GAME_ROUTES,
        'asked.nonce === null ? disposed(await call()) : await retried(call)',
        'await retried(call)',
      ],
    ],
    within: 200,
  },
  {
    name: "the next play's seed is drawn when it is needed",
    edits: [[PLAYS, 'nextSeedHash: after.seedHash,', 'nextSeedHash: draw(nonce + 1).seedHash,']],
    within: 300,
  },
  {
    name: 'plays count as told before D1 has them',
    edits: [
      [
        PLAYS,
        '    await this.tellAgain(plays)',
        '    this.#told(Math.max(...plays.map(({ nonce }) => nonce)) + 1)\n    await this.tellAgain(plays)',
      ],
    ],
    within: 2_000,
  },
]
