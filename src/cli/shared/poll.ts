import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from './terminal.ts'

/** How long to wait for things that take a block or two. */
const DEFAULT_PATIENCE_MS = 60_000
const POLL_MS = 500

/** Asks until the answer isn't null. @throws CommandError with the given message after a timeout */
export async function poll<T>(
  tooLong: string,
  ask: () => Promise<T | null>,
  patienceMs = DEFAULT_PATIENCE_MS,
): Promise<T> {
  const until = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (Date.now() > until) throw new CommandError(tooLong)
    await sleep(POLL_MS)
  }
}
