/**
 * Returns the index of the cell that an arrow key moves to, or null if it leads out of the grid.
 */
export function moved(
  key: string,
  from: number,
  { count, width }: { count: number; width: number },
): number | null {
  const column = from % width
  const to = TARGETS[key]?.(from, width, column)
  if (to === undefined || to < 0 || to >= count) return null
  const leavesRow = Math.abs(to - from) === 1 && Math.floor(to / width) !== Math.floor(from / width)
  return leavesRow ? null : to
}

const TARGETS: Record<string, (from: number, width: number, column: number) => number> = {
  ArrowLeft: (from) => from - 1,
  ArrowRight: (from) => from + 1,
  ArrowUp: (from, width) => from - width,
  ArrowDown: (from, width) => from + width,
  Home: (from, _width, column) => from - column,
  End: (from, width, column) => from - column + width - 1,
}
