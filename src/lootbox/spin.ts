import type { PepperSource, ToldPepper } from '../fairness/pepper.ts'
import { refuse, type Refusal } from '../core/refusal.ts'

/** What a free spin is known by: one a wallet and UTC day (YYYY-MM-DD). @param wallet in any letter case */
export function spinId(wallet: string, day: string): string {
  return `spin:${wallet.toLowerCase()}:${day}`
}

/** The day that a free spin counts for, as its id says. */
export function spinDay(id: string): string {
  return id.split(':')[2] ?? ''
}

/** What a free spin rolls over: what it is known by, and a pepper that the house cannot choose. */
export function spinMessage(id: string, pepper: string): string {
  return `${id}:${pepper}`
}

/** The pepper of a free spin, and when the spin was taken. */
export interface SpinPepper extends ToldPepper {
  /** In unix milliseconds: a beacon is the first one published after it. */
  acceptedAt: number
}

/** A free spin that was taken and waits for its pepper: ask again. */
export interface AwaitedSpin {
  ok: true
  status: 'pending'
  /** When the spin was taken, in unix milliseconds. */
  acceptedAt: number
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
