import { announce } from '../announce.ts'
import { get, isFailure, post, repeated, type Failure, type Problem } from '../api.ts'
import { pause } from '../pause.ts'
import { REREAD_MS, session } from '../session.ts'
import { Store } from '../store.ts'
import type { Limit, Protection } from './words.ts'

/** A part of the view, next to which its problems are shown. */
export type Part = 'limits' | 'form' | 'check' | 'exclusion'

interface State {
  /** The wallet this belongs to. */
  owner: string | null
  /** Null until it has been read. */
  protection: Protection | null
  isChanging: boolean
  problem: Problem | null
  problemOf: Part
}

export const protecting = new Store<State>({
  owner: null,
  protection: null,
  isChanging: false,
  problem: null,
  problemOf: 'limits',
})

/** Orders the answers: a read that began before the one shown would undo a change on the page. */
let moments = 0
let shownOf = 0

const TURN_MS = 50

let rereading: ReturnType<typeof setTimeout> | undefined
let rereadMs = REREAD_MS.first

/**
 * Reads the player's limits. The answer is ignored if the player has left, or a newer one has come, meanwhile.
 * @returns why they could not be read; null if they were
 */
export async function readProtection(): Promise<Failure | null> {
  const { credentials } = session.value
  const owner = credentials?.wallet ?? null
  if (protecting.value.owner !== owner) {
    protecting.patch({ owner, protection: null, problem: null })
  }
  if (!credentials) return null
  const moment = ++moments
  const { wallet, authSig } = credentials
  const answer = await get<Protection>('/api/limits', { wallet, authSig })
  const failure = isFailure(answer) ? answer : null
  if (session.value.credentials?.wallet !== owner || moment < shownOf) return failure
  if (!isFailure(answer)) {
    shownOf = moment
    rereadMs = REREAD_MS.first
    const hadFailed = protecting.value.problemOf === 'limits'
    protecting.patch({ protection: answer, ...(hadFailed && { problem: null }) })
  } else if (!protecting.value.protection) {
    protecting.patch({ problem: answer.error, problemOf: 'limits' })
    rereadSoon()
  }
  return failure
}

/** Reads the limits again later: without them, no reality check and no notice is shown. */
function rereadSoon(): void {
  clearTimeout(rereading)
  rereading = setTimeout(() => void readProtection(), rereadMs)
  rereadMs = Math.min(2 * rereadMs, REREAD_MS.last)
}

/** Numbers the choices of a reality check. */
let checks = 0

/**
 * Makes one change at a time. Every change is safe to repeat. The newest choice of a reality check waits for its turn:
 * with the keyboard, players pass other choices on their way to theirs.
 * @param done the announcement for screen readers afterwards
 */
export async function changeProtection(
  action: string,
  fields: object,
  part: Part,
  done: string,
): Promise<void> {
  if (protecting.value.isChanging && action !== 'reality-check') return
  const { credentials } = session.value
  const check = action === 'reality-check' ? ++checks : checks
  while (protecting.value.isChanging) await pause(TURN_MS)
  // Another player may have signed in meanwhile.
  if (!credentials || session.value.credentials?.wallet !== credentials.wallet) return
  if (check !== checks) return
  protecting.patch({ isChanging: true, problem: null })
  const body = { action, ...credentials, ...fields }
  const answer = await repeated(() => post<Protection>('/api/limits', body))
  protecting.patch({ isChanging: false })
  if (session.value.credentials?.wallet !== credentials.wallet) return
  if (isFailure(answer)) return protecting.patch({ problem: answer.error, problemOf: part })
  shownOf = ++moments
  protecting.patch({ protection: answer })
  announce(done)
}

/** Returns the fields that name a limit in a request. */
export function keyOf({ kind, window, token }: Limit): object {
  return { kind, window, ...(token && { token }) }
}

/** Returns the amount left of a limit, in smallest units or minutes. */
export function leftOf({ amountWei, minutes, used }: Limit): bigint {
  const left = BigInt(amountWei ?? minutes ?? 0) - BigInt(used)
  return left > 0n ? left : 0n
}
