import { batchTexts } from '../chain/box-state.ts'
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

/**
 * The public log has each batch's opening and, if it has ended, its end: once, as on the chain, and nothing else. What
 * it has from a branch that the chain has dropped after all its confirmations stays, because a log can't be changed.
 */
export function checkBatchLog(world: World, chain: Chain): void {
  const expected = batchTexts(chain.head.state.boxes)
  const logged = loggedBatches(world).map(textOf)
  const isDropped = (text: string) => chain.droppedBatches.has(text) && !expected.includes(text)
  const dropped = logged.filter(isDropped).map(idOf)
  for (const text of expected) {
    const count = logged.filter((each) => each === text).length
    if (count !== 1 && !dropped.includes(idOf(text)))
      world.violate(`the log has ${count} times: batch ${text}`)
  }
  const other = logged.find((text) => !expected.includes(text) && !isDropped(text))
  if (other !== undefined) world.violate(`the log has what the chain lacks: batch ${other}`)
}

function idOf(text: string): string | undefined {
  return text.split(' ')[0]
}

export function textOf({ id, pepperHash, pepper }: LoggedBatch): string {
  return `${id} ${pepperHash ?? pepper}`
}
