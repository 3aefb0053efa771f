export const STORAGES = ['memory', 'disk'] as const
export type Storage = (typeof STORAGES)[number]

/** The measured rows. `goal` is a ratio to hello-world: a minimum, unless the row says otherwise. */
interface Row {
  title: string
  goal: Record<Storage, number> | null
  compare: 'at least' | 'at most'
}

export type RowName =
  | 'hello'
  | 'watch'
  | 'state'
  | 'first'
  | 'bet'
  | 'cashout'
  | 'play'
  | 'verify'
  | 'crowd'
  | 'alone'
  | 'balance'
  | 'transaction'
  | 'ads'
  | 'rpc'

function goal(memory: number, disk: number): Row['goal'] {
  return { memory, disk }
}

export const ROWS: Record<RowName, Row> = {
  hello: { title: 'hello-world', goal: null, compare: 'at least' },
  watch: { title: 'state, snapshot alone', goal: goal(0.85, 0.85), compare: 'at least' },
  state: { title: 'state whole, signature known', goal: goal(0.42, 0.42), compare: 'at least' },
  first: { title: "wallet's first request", goal: goal(0.13, 0.13), compare: 'at least' },
  bet: { title: "bet, wallet's first in round", goal: goal(0.22, 0.09), compare: 'at least' },
  cashout: { title: 'cash-out in flight', goal: goal(0.22, 0.09), compare: 'at least' },
  play: { title: 'entropy play', goal: goal(0.25, 0.1), compare: 'at least' },
  balance: { title: 'wallet balance', goal: goal(0.38, 0.38), compare: 'at least' },
  transaction: { title: 'wallet transaction', goal: goal(0.15, 0.06), compare: 'at least' },
  ads: { title: 'ad availability', goal: null, compare: 'at least' },
  rpc: { title: 'one proxied call, time over a direct one', goal: null, compare: 'at most' },
  verify: { title: 'verify-seeds', goal: null, compare: 'at least' },
  crowd: { title: 'state whole, 64 connections', goal: null, compare: 'at least' },
  alone: { title: 'one bet alone, time', goal: goal(10, 10), compare: 'at most' },
}
