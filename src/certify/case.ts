import type { Answer, Bridge } from './bridge.ts'
import type { Partner } from './token.ts'

/** What the kit has been given to work with. */
export interface Kit {
  bridge: Bridge
  partner: Partner
  /** Another partner of the same service. */
  other: Partner | null
  /** The one of them that debits nobody without a permission. */
  consenting: Partner | null
  /** The secret that takes over at the next change of keys. */
  nextSecret: string | null
  /** Restarts the service and comes back when it answers again. */
  restart: (() => Promise<void>) | null
}

/** One thing that a partner has to be able to rely on. */
export interface Case {
  title: string
  /** The rule it checks, as the partner's guide has it. */
  rule: string
  /** What it cannot do without; it is skipped where that was not given. */
  needs?: 'other' | 'consenting' | 'nextSecret' | 'restart'
  run: (kit: Kit) => Promise<void>
}

/** Cases under one heading. */
export interface Group {
  name: string
  cases: Case[]
}

/** The service did not do what the rule says. */
export class Broken extends Error {
  override name = 'Broken'
}

export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what)
}

/** Units of 10^-6 in smallest units, as USDG has them. */
export function usdg(units: number): string {
  return String(Math.round(units * 1_000_000))
}

/** That a call was carried out, with these chips before and after, in smallest units. */
export function expectMoved(answer: Answer, beforeWei: string, afterWei: string): void {
  expect(answer.status === 200, `should be carried out, but was answered ${answer.status}`)
  const { balanceBeforeWei, balanceWei } = answer.body
  expect(
    balanceBeforeWei === beforeWei && balanceWei === afterWei,
    `should go from ${beforeWei} to ${afterWei}, not from ${balanceBeforeWei} to ${balanceWei}`,
  )
}

export function expectRefused(answer: Answer, status: number, ...codes: string[]): void {
  const { ok, error } = answer.body
  const code = error?.code ?? 'no code'
  expect(
    answer.status === status && codes.includes(code),
    `should be ${status} ${codes.join(' or ')}, but was ${answer.status} ${code}`,
  )
  const isWhole = ok === false && typeof error?.message === 'string' && error.message !== ''
  expect(isWhole, 'a refusal should have ok: false, and a message that says what to do')
}

/** That a player has so many chips, in smallest units. */
export function expectBalance(answer: Answer, balanceWei: string): void {
  expect(answer.status === 200, `the balance should be answered, but was ${answer.status}`)
  const found = answer.body.balanceWei
  expect(found === balanceWei, `the balance should be ${balanceWei}, but is ${found}`)
}

export function expectSame(first: Answer, again: Answer): void {
  expect(
    first.status === again.status && first.text === again.text,
    'a repeated call should be answered as the first was, byte for byte',
  )
}
