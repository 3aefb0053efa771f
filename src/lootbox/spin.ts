import type { PepperSource } from '../fairness/pepper.ts'
import { refuse, type Refusal } from '../refusal.ts'

/** What a free spin is known by: one a wallet and UTC day (YYYY-MM-DD). @param wallet in any letter case */
export function spinId(wallet: string, day: string): string {
  return `spin:${wallet.toLowerCase()}:${day}`
}

/** What a free spin rolls over: what it is known by, and a pepper that the house cannot choose. */
export function spinMessage(id: string, pepper: string): string {
  return `${id}:${pepper}`
}

/** A free spin that was taken and waits for its pepper: ask again. */
export interface AwaitedSpin {
  ok: true
  status: 'pending'
  pepperSource: PepperSource
  /** When the pepper is published, in unix milliseconds. */
  expectedAt: number
}

/** Why there is no free spin now. */
export type SpinUsed = 'wallet' | 'author' | 'post' | 'day'

const USED: Record<SpinUsed, string> = {
  wallet: 'This wallet has had its free spin of the day; the next day begins at midnight UTC.',
  author: "The post's author has had a free spin today; the next day begins at midnight UTC.",
  post: 'This post was used already; a post counts once.',
  day: "All of today's free spins are taken; the next day begins at midnight UTC.",
}

export function spinUsed(reason: SpinUsed): Refusal {
  return refuse('spin_used', USED[reason], { reason })
}
