/**
 * Gives work a signal that aborts with a `TimeoutError` after a time. Leaves no timer behind, as `AbortSignal.timeout`
 * does: an object with one stays in memory, and a deployment pays for that.
 */
export async function abortAfter<T>(
  mostMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('it took too long', 'TimeoutError'))
  const timer = setTimeout(late, mostMs)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
