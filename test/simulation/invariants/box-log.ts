import type { Chain } from '../chain/chain.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

interface LoggedBatch {
  id: string
  pepperHash?: string
  pepper?: string
}

/** Returns what the public log says about batches of boxes, in order. */
export function loggedBatches(world: World): LoggedBatch[] {
  const sql = "SELECT id, entry FROM entries WHERE kind = 'batch' ORDER BY idx"
  return rowsOf(world, 'TransparencyLog', 'main', sql).map(({ id, entry }) => ({
    ...(JSON.parse(String(entry)) as object),
    id: String(id),
  }))
}

/** The public log has each batch's opening and, if it has ended, its end: once, as on the chain, and nothing else. */
export function checkBatchLog(world: World, chain: Chain): void {
  const expected = chain.head.state.boxes.batches.flatMap(
    ({ pepperHash, pepper, isEnded }, index) => [
      `${index + 1}:open ${pepperHash.slice(2)}`,
      ...(isEnded ? [`${index + 1}:closed ${pepper.slice(2)}`] : []),
    ],
  )
  const logged = loggedBatches(world).map(textOf)
  for (const text of expected) {
    const count = logged.filter((each) => each === text).length
    if (count !== 1) world.violate(`the log has ${count} times: batch ${text}`)
  }
  const other = logged.find((text) => !expected.includes(text))
  if (other !== undefined) world.violate(`the log has what the chain lacks: batch ${other}`)
}

export function textOf({ id, pepperHash, pepper }: LoggedBatch): string {
  return `${id} ${pepperHash ?? pepper}`
}
