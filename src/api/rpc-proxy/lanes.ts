/** Does the work for each item, `lanes` at a time. Returns the results in the items' order. */
export async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  const lane = async () => {
    for (const [index, item] of waiting) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
