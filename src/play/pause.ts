/** How often unfinished work is polled. */
export const ASK_AGAIN_MS = 1_000

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Asks every second until there is an answer.
 * @returns null once `patienceMs` has passed without one
 */
export async function untilAnswered<T>(
  ask: () => Promise<T | null>,
  patienceMs: number,
): Promise<T | null> {
  const until = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== null || Date.now() > until) return answer
    await pause(ASK_AGAIN_MS)
  }
}

/**
 * Calls at once, and again at intervals.
 * @returns a function that stops the calls
 */
export function repeatedly(call: () => Promise<unknown>, everyMs: number): () => void {
  void call()
  const calling = setInterval(() => void call(), everyMs)
  return () => clearInterval(calling)
}
