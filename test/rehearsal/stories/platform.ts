import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { devPlayer } from '../../../src/cli/shared/dev-players.ts'
import { DAY_MS, dateOf } from '../../../src/core/utc-day.ts'
import { ORIGIN } from '../site.ts'
import { expectExit, HOUR_MS, type Story } from '../story.ts'
import { ELSEWHERE, OTHER_CAUSE } from './words.ts'

export const refusedScrape: Story = {
  alert: 'ScrapeFailing',
  fault: '`METRICS_TOKEN` is set to a value that Prometheus does not have',
  remedy: 'the secret set again',
  fires: ['ScrapeFailing'],
  async make(world) {
    await world.site.putSecret('METRICS_TOKEN', randomBytes(32).toString('hex'))
    await world.minutes(3)
  },
  look: () => [
    ['If it answers 200', async (type) => expect((await type()).output).toContain('200 OK')],
    ['Bearer $METRICS_TOKEN', async (type) => expect((await type()).output).toContain('401 ')],
    ['request_failed', OTHER_CAUSE],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['401 or 404', (type) => type({ METRICS_TOKEN: site.metricsToken })],
    ['503 `not_configured`', OTHER_CAUSE],
    ['500 since a deployment', OTHER_CAUSE],
    ['An outage of the platform', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.minutes(5)
  },
}

export const misconfiguredScrape: Story = {
  alert: 'ScrapeFailing',
  fault: 'A version with an http origin is deployed past the doctor',
  remedy: 'rolled back',
  fires: ['ScrapeFailing'],
  async make(world) {
    await world.site.edit({ SITE_ORIGIN: '"http://play.fairhouse.internal"' })
    await world.site.deployUnseen()
    await world.minutes(3)
  },
  look: (world) => [
    ['If it answers 200', async (type) => expect((await type()).output).toContain('503 ')],
    ['Bearer $METRICS_TOKEN', async (type) => expect((await type()).output).toContain('503 ')],
    [
      'request_failed',
      async () =>
        expect(world.logged('request_failed').at(-1)).toMatchObject({
          message: expect.stringContaining('production must use https') as string,
        }),
    ],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['401 or 404', OTHER_CAUSE],
    [
      '503 `not_configured`',
      async (type) => {
        expect((await type()).output).toContain('production must use https')
        await type()
        await site.edit({ SITE_ORIGIN: JSON.stringify(ORIGIN) })
        await site.deploy()
      },
    ],
    ['500 since a deployment', OTHER_CAUSE],
    ['An outage of the platform', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.minutes(5)
  },
}

export const silentPart: Story = {
  alert: 'PartDegraded',
  fault: 'A version is deployed whose `Relayer` cannot say how it is',
  remedy: 'rolled back',
  fires: ['PartDegraded'],
  async make(world) {
    await world.site.deploy([
      [
        'durable-objects/relayer.ts',
        'async facts(): Promise<RelayerFacts> {',
        "async facts(): Promise<RelayerFacts> {\n    if (this.env) throw new Error('a bug')",
      ],
    ])
    await world.minutes(16)
  },
  look: () => [
    [
      'the part and its message',
      async (type) => expect((await type()).output).toContain('This part does not answer.'),
    ],
    ['The other alerts', async () => {}],
    ['errors of that object', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['If another alert has fired', OTHER_CAUSE],
    ['roll back', () => site.goBack()],
  ],
  resolved: (world) => world.until(() => world.isUp('relayer'), 1),
}

export const silentControl: Story = {
  alert: 'ControlSilent',
  fault: 'A version is deployed whose `Control` does not answer',
  remedy: 'rolled back',
  fires: ['ControlSilent'],
  async make(world) {
    const edits = [
      'async facts(): Promise<ControlFacts> {',
      'async modes(): Promise<ModesChange[]> {',
    ]
    await world.site.deploy(
      edits.map((line) => [
        'durable-objects/control.ts',
        line,
        `${line}\n    if (this.env) throw new Error('a bug')`,
      ]),
    )
    await world.minutes(4)
  },
  look: () => [
    [
      'the part `control` and its message',
      async (type) => expect((await type()).output).toContain('This part does not answer.'),
    ],
    ['errors of the object `Control`', ELSEWHERE],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['roll back', () => site.goBack()],
    ['has an outage', OTHER_CAUSE],
    ['deploy again', OTHER_CAUSE],
  ],
  resolved: (world) => world.until(() => world.isUp('control'), 1),
}

export const stuckOutbox: Story = {
  alert: 'OutboxesStuck',
  fault: '`HISTORY` does not answer after a play',
  remedy: 'waited for D1',
  fires: ['OutboxesStuck'],
  async make(world) {
    await world.site.drive({ order: 'cut', bindings: ['HISTORY'] })
    await world.play(0)
    await world.minutes(16)
  },
  look: (world) => [
    [
      'fairhouse_stuck_messages',
      async () => expect(world.metric('fairhouse_stuck_messages{class="Ledger"}')).toBe(1),
    ],
    [
      'outbox_message_stuck',
      async () =>
        expect(world.logged('outbox_message_stuck').at(-1)).toMatchObject({
          object: expect.stringContaining('Ledger 0x') as string,
          message: 'HISTORY does not answer',
        }),
    ],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['wait', () => site.drive({ order: 'cut', bindings: [] })],
    ['is full', OTHER_CAUSE],
    ['an error of ours', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('outboxes'), 6)
    expect(world.metric('fairhouse_stuck_oldest_age_seconds')).toBe(0)
  },
}

export const lateExport: Story = {
  alert: 'ExportLate',
  fault: '`HISTORY` does not answer from midnight to after 02:00',
  remedy: 'waited for D1',
  fires: ['BooksLate', 'ExportLate'],
  async make(world) {
    await world.leap(until(23, 20))
    await world.site.drive({ order: 'cut', bindings: ['HISTORY'] })
    await world.leap(until(0, 20))
    await world.leap(until(2, 0))
    await world.minutes(7)
  },
  look: (world) => [
    ['sweep_failed', async () => expect(world.logged('sweep_failed')).not.toEqual([])],
    [
      'fairhouse_export_day_timestamp_seconds',
      async () =>
        expect(world.metric('fairhouse_export_day_timestamp_seconds')).not.toBe(yesterday()),
    ],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['wait', () => site.drive({ order: 'cut', bindings: [] })],
    ['is logged each minute', OTHER_CAUSE],
    ['never changes', OTHER_CAUSE],
    ['it is a bug', OTHER_CAUSE],
  ],
  async resolved(world, type) {
    await world.until(() => world.isUp('exports'), 20)
    expect(world.metric('fairhouse_export_day_timestamp_seconds')).toBe(yesterday())
    expectExit(await type(), 0)
  },
}

export const lateBooks: Story = {
  alert: 'BooksLate',
  fault: 'A version is deployed in which one ledger cannot add up its lines',
  remedy: 'the next day ordered, and the one left out after a rollback',
  fires: ['BooksLate'],
  async make(world) {
    await world.leap(until(23, 20))
    const { address } = devPlayer(0)
    const asked = 'async bookedLines(range: DaybookRange): Promise<DaybookLines | Refusal> {'
    const fault = `if (this.ctx.id.name === '${address}') throw new Error('a bug')`
    await world.site.deploy([['durable-objects/ledger.ts', asked, `${asked}\n    ${fault}`]])
    await world.play(0)
    // Its position reaches D1, so the next day doesn't ask it.
    await world.minutes(6)
    await world.leap(until(0, 20))
    await world.leap(until(2, 0))
    await world.minutes(7)
  },
  look: (world) => [
    ['BankrollInvalid', async () => expect(await world.firing()).toHaveLength(1)],
    [
      'daybook_delayed',
      async () =>
        expect(world.logged('daybook_delayed').at(-1)).toMatchObject({
          message: 'a bug',
          day: dayBefore(1),
        }),
    ],
    [
      'fairhouse_books_day_timestamp_seconds',
      async () =>
        expect(world.metric('fairhouse_books_day_timestamp_seconds')).not.toBe(yesterday()),
    ],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: (world) => [
    ['If D1 is down', OTHER_CAUSE],
    [
      'go on without the day',
      async (type) => {
        await world.leap(until(0, 20))
        expectExit(await type({ '<next day>': dayBefore(1) }), 0)
        // No heartbeat was written during the leap, so ledgers get time to send their positions.
        await world.until(() => world.isUp('books'), 8)
        expect(world.metric('fairhouse_books_day_timestamp_seconds')).toBe(yesterday())
      },
    ],
    [
      'Once that ledger answers',
      async (type) => {
        await world.site.goBack()
        expectExit(await type({ '<day>': dayBefore(2) }), 0)
      },
    ],
  ],
  async resolved(world, type) {
    await world.minutes(1)
    expect(world.isUp('books')).toBe(true)
    expectExit(await type({ '<day>': dayBefore(2), '<next day>': dayBefore(1) }), 0)
  },
}

/** Returns the time until ten seconds after the next such time of a day (UTC). */
function until(hour: number, minute: number): number {
  const at = hour * HOUR_MS + minute * 60_000 + 10_000
  return (at - (Date.now() % DAY_MS) + DAY_MS) % DAY_MS
}

/** Returns the day (UTC) of some days ago, as YYYY-MM-DD. */
function dayBefore(days: number): string {
  return dateOf(Date.now() - days * DAY_MS)
}

/** Returns the beginning of yesterday (UTC), in unix seconds. */
function yesterday(): number {
  return (Math.floor(Date.now() / DAY_MS) - 1) * (DAY_MS / 1_000)
}
