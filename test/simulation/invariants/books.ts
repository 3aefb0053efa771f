import { isDeepStrictEqual } from 'node:util'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { GAS, linesOf, prizeLine, summed, type DaybookLine } from '../../../src/daybook/lines.ts'
import type { World } from '../world/world.ts'
import type { EntryWatch } from './entries.ts'
import { rowsOf } from './rounds.ts'

/** Returns when the books of a day were last counted, by the clock of their object; 0 if never. */
export function countedAt(world: World, day: string): number {
  const sql = `SELECT counted_at AS at FROM days WHERE day = '${day}'`
  return Number(rowsOf(world, 'Daybook', 'main', sql)[0]?.['at'] ?? 0)
}

/** The books of a day that was counted at last amount to its journals and prizes. Only the relayer knows its gas. */
export function checkBooks(world: World, day: string, watch: EntryWatch): void {
  const from = Date.parse(day)
  const isOfDay = (at: number) => at >= from && at < from + DAY_MS
  const booked = watch
    .all()
    .flatMap(([, entries]) =>
      entries
        .filter(({ at }) => isOfDay(at))
        .flatMap(({ id, request, postings }) => linesOf({ operationId: id, request, postings })),
    )
  const prizes = ['Payment', 'SharedPost'].flatMap((className) =>
    world.objects.of(className).flatMap(({ name }) =>
      rowsOf(world, className, name, 'SELECT opening FROM opening')
        .map(({ opening }) => JSON.parse(String(opening)) as Won)
        .filter(({ openedAt, prize }) => isOfDay(openedAt) && prize !== '0')
        .map(({ asset, prize }) => prizeLine(asset, BigInt(prize))),
    ),
  )
  const expected = summed([...booked, ...prizes]).map(textOf)
  const sql = `SELECT asset, debit, credit, amount_wei AS amountWei FROM lines
    WHERE day = '${day}' AND debit <> '${GAS}'`
  const counted = rowsOf(world, 'Daybook', 'main', sql)
    .map((row) => textOf(row as unknown as DaybookLine))
    .toSorted()
  if (!isDeepStrictEqual(counted, expected.toSorted()))
    world.violate(`the books of ${day} are not those of its journals`)
}

interface Won {
  openedAt: number
  asset: string
  prize: string
}

function textOf({ asset, debit, credit, amountWei }: DaybookLine): string {
  return [asset, debit, credit, amountWei].join(' ')
}
