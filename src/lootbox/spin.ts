import { refuse, type Refusal } from '../core/refusal.ts'
import type { PepperSource, PublishedPepper } from '../fairness/pepper.ts'

/** Returns a free spin's id, one per wallet and UTC day (YYYY-MM-DD). @param wallet in any letter case */
export function spinId(wallet: string, day: string): string {
  return `spin:${wallet.toLowerCase()}:${day}`
}

/** Whether an opening's id is a free spin's. */
export function isSpin(id: string): boolean {
  return id.startsWith('spin:')
}

/** Returns the UTC day in a free spin's id, as YYYY-MM-DD. */
export function spinDay(id: string): string {
  return id.split(':')[2] ?? ''
}

/** Returns the HMAC message for a free spin's roll: its id, and a pepper that the house cannot choose. */
export function spinMessage(id: string, pepper: string): string {
  return `${id}:${pepper}`
}

/** A free spin's pepper and the time of the spin. */
export interface SpinPepper extends PublishedPepper {
  /** When the spin was taken, in unix milliseconds. Its beacon is the first one published afterwards. */
  acceptedAt: number
}

/** A free spin still waiting for its pepper; the client should ask again. */
export interface AwaitedSpin {
  ok: true
  status: 'pending'
  /** When the spin was taken, in unix milliseconds. */
  acceptedAt: number
  pepperSource: PepperSource
  /** The pepper's time of publication, in unix milliseconds. */
  expectedAt: number
}

/** Why a free spin isn't available. */
export type SpinUsed = 'wallet' | 'author' | 'post' | 'day'

const USED: Record<SpinUsed, string> = {
  wallet: 'This wallet has already had its free spin today. Come back after midnight UTC.',
  author: "This post's author has already had a free spin today. Come back after midnight UTC.",
  post: 'This post has already been used for a free spin. Share a new post.',
  day: "All of today's free spins have been taken. Come back after midnight UTC.",
}

export function spinUsed(reason: SpinUsed): Refusal {
  return refuse('spin_used', USED[reason], { reason })
}
