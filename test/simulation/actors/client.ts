import type { Me } from '../../../src/ledger/me.ts'
import { request, type HttpAnswer, type HttpRequest } from '../world/http.ts'
import type { World } from '../world/world.ts'

/** An answer with its JSON. */
export interface Answer extends HttpAnswer {
  /** When the request was sent, in true unix milliseconds. */
  sentAt: number
  json: Record<string, unknown>
}

/** A request without an answer, or with one that says nothing, is repeated after this long. In milliseconds. */
const RETRY_MS = 700

/** Returns a function that numbers a client's operations: each has a name of its own. */
export function numbered(client: string): () => string {
  let count = 0
  return () => `${client} ${++count}`
}

/**
 * Has a client operate until a time, with pauses in between.
 * @param next returns the name of the next operation
 */
export async function operate(
  world: World,
  next: () => string,
  { pauseMs, until }: { pauseMs: readonly [number, number]; until: number },
  work: (name: string) => Promise<void>,
): Promise<void> {
  const { scheduler, random, choice, done } = world
  for (;;) {
    const name = next()
    await scheduler.sleep(random.between(`${name} pause`, ...pauseMs))
    if (scheduler.now >= until) return
    if (choice.without.has(name)) continue
    done.push(name)
    await work(name)
  }
}

/** Returns what an accepted call is about, so that it is answered the same every time; undefined without a number. */
export function subjectOf(wallet: string, action: string, fields: object): string | undefined {
  const isNamed = 'nonce' in fields || 'roundId' in fields
  return isNamed ? `${action} of ${wallet} with ${JSON.stringify(fields)}` : undefined
}

/** Returns whether the service has decided nothing, as far as the client can tell. */
function isOpen(answer: HttpAnswer | null): boolean {
  return answer === null || answer.status >= 500 || answer.status === 429
}

/** Sends a request once. Returns null without an answer. */
export async function ask(world: World, client: string, sent: HttpRequest): Promise<Answer | null> {
  const sentAt = world.scheduler.now
  const answer = await request(world, client, sent)
  world.tell(() => `${client} ${sent.action}: ${answer ? shown(answer) : 'no answer'}`)
  if (!answer) return null
  if (answer.status === 405) world.violate(`${client} has asked for what the service does not have`)
  const json = JSON.parse(answer.text || '{}') as Answer['json']
  const { me } = json
  if (me && sent.wallet !== undefined) world.standings.checkMe(sent.wallet, me as Me, sentAt)
  return { ...answer, sentAt, json }
}

/** Sends the same request until it is decided, a few times at most. */
export async function insist(
  world: World,
  client: string,
  sent: HttpRequest,
  tries: number,
): Promise<Answer | null> {
  for (let tried = 1; ; tried++) {
    const answer = await ask(world, client, sent)
    if (!isOpen(answer) || tried === tries) return answer
    await world.scheduler.sleep(RETRY_MS)
  }
}

function shown({ status, text }: HttpAnswer): string {
  return `${status} ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`
}
