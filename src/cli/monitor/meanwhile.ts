/**
 * Waits for some work, and acts whenever it has taken longer by some milliseconds.
 * @throws what the work or the act throws
 */
export async function actingMeanwhile<T>(
  work: Promise<T>,
  everyMs: number,
  act: () => Promise<void>,
): Promise<T> {
  const settled = work.then(
    () => true,
    () => true,
  )
  while (!(await isWithin(settled, everyMs))) await act()
  return work
}

/** Returns whether a promise resolves within some milliseconds. */
async function isWithin(settled: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}
