import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from './terminal.ts'

/** How long what takes a block or two may take. */
const PATIENCE_MS = 60_000
const POLL_MS = 500

/** Asks until there is an answer. @throws CommandError with the given message if there is none */
export async function poll<T>(tooLong: string, ask: () => Promise<T | null>): Promise<T> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (Date.now() > until) throw new CommandError(tooLong)
    await sleep(POLL_MS)
  }
}
