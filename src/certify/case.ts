import type { Answer, Bridge, Player } from './bridge.ts'
import type { PartnerCredentials } from './token.ts'

/** The resources of a case. */
export interface Kit {
  bridge: Bridge
  /** Returns a player of the partner with 3 USDG, for calls that must not move any. Other cases have it too. */
  unmovedPlayer: () => Promise<Player>
  /** A transaction id that nobody has used. */
  id: string
  partner: PartnerCredentials
  /** Another partner of the same service. */
  other: PartnerCredentials | null
  /** The partner of the two that needs a permission to debit. */
  consenting: PartnerCredentials | null
  /** The partner's next secret, for a change of keys. */
  nextSecret: string | null
  /** Restarts the service, and resolves once it answers again. */
  restart: (() => Promise<void>) | null
}

/** One guarantee to partners. */
export interface Case {
  title: string
  /** The rule being checked, from the partner's guide. */
  rule: string
  /** A required resource; without it the case is skipped. */
  needs?: 'other' | 'consenting' | 'nextSecret' | 'restart'
  run: (kit: Kit) => Promise<void>
}

/** Cases under one heading. */
export interface Group {
  name: string
  cases: Case[]
}

/** A violation of a rule by the service. */
export class Broken extends Error {
  override name = 'Broken'
}

export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Broken(what)
}

/** Converts USDG to smallest units. */
export function usdg(units: number): string {
  return String(Math.round(units * 1_000_000))
}

/** Asserts that a call was carried out, with these chips before and after, in smallest units. */
export function expectMoved(answer: Answer, beforeWei: string, afterWei: string): void {
  expect(
    answer.status === 200,
    `the call should be carried out, but the answer was ${answer.status}`,
  )
  const { balanceBeforeWei, balanceWei } = answer.body
  expect(
    balanceBeforeWei === beforeWei && balanceWei === afterWei,
    `the balance should go from ${beforeWei} to ${afterWei}, not from ${balanceBeforeWei} to ${balanceWei}`,
  )
}

export function expectRefused(answer: Answer, status: number, ...codes: string[]): void {
  const { ok, error } = answer.body
  const code = error?.code ?? 'no code'
  expect(
    answer.status === status && codes.includes(code),
    `the answer should be ${status} ${codes.join(' or ')}, but was ${answer.status} ${code}`,
  )
  const isWhole = ok === false && typeof error?.message === 'string' && error.message !== ''
  expect(isWhole, 'a refusal should have ok: false and a message')
}

/** Asserts a player's balance, in smallest units. */
export function expectBalance(answer: Answer, balanceWei: string): void {
  expect(answer.status === 200, `the status of the balance should be 200, but was ${answer.status}`)
  const found = answer.body.balanceWei
  expect(found === balanceWei, `the balance should be ${balanceWei}, but is ${found}`)
}

/** Makes ten calls at the same time. */
export function tenTimes(call: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 10 }, call))
}

export function expectSame(first: Answer, again: Answer): void {
  expect(
    first.status === again.status && first.text === again.text,
    'a repeated call should get the first answer, byte for byte',
  )
}

/** Builds a case: a call for a player with 3 USDG gets this refusal, and moves no chips. */
export function refusedCall(
  title: string,
  rule: string,
  call: (bridge: Bridge, player: Player) => Promise<Answer>,
  [status, code]: [status: number, code: string] = [400, 'invalid_request'],
): Case {
  return {
    title,
    rule,
    run: async ({ bridge, unmovedPlayer }) => {
      const player = await unmovedPlayer()
      expectRefused(await call(bridge, player), status, code)
      expectBalance(await bridge.balance(player), usdg(3))
    },
  }
}
