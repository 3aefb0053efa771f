import { describe, expect, it } from 'vitest'
import type { ActName } from '../../../src/operator/act.ts'
import { judgeApproval, MAX_ACT_LIFETIME_S } from '../../../src/operator/approval.ts'
import type { Approval } from '../../../src/operator/journal.ts'
import { ROLES, type Role } from '../../../src/operator/roles.ts'

const NOW = 1_800_000_000_000
const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Two operators of each role, named after it. */
const OPERATORS = new Map(
  ROLES.flatMap((role): [string, Role][] => [
    [role, role],
    [`${role} 2`, role],
  ]),
)

const expiring = (act: ActName, target: string, afterS = 600) => {
  return { act, target, expiresAt: NOW / 1_000 + afterS }
}
const freeze = expiring('freeze', WALLET)
const unfreeze = expiring('unfreeze', WALLET)

const approved = (...operators: string[]): Approval[] =>
  operators.map((operator) => ({ operator, role: 'treasurer', at: NOW - 1_000 }))
const waiting = (...operators: string[]) => ({ approvals: approved(...operators), decidedAt: null })

/** Returns the ruling, or the code of the refusal. */
function ruled(
  act: Judged[0],
  kept: Judged[1],
  operator: string,
  roles: Judged[3] = OPERATORS,
  now = NOW,
): string {
  const ruling = judgeApproval(act, kept, operator, roles, now)
  return typeof ruling === 'string' ? ruling : ruling.error.code
}
type Judged = Parameters<typeof judgeApproval>

/** What each act takes, said once more than in the rules. */
const ACTS: [ActName, string, Role, 1 | 2][] = [
  ['freeze', WALLET, 'support', 1],
  ['unfreeze', WALLET, 'treasurer', 2],
  ['confirm-withdrawal', `${WALLET}:1`, 'treasurer', 2],
  ['release-withdrawal', `${WALLET}:1`, 'treasurer', 2],
  ['reproject', 'positions', 'admin', 1],
  ['mode', 'crash=closed', 'support', 1],
  ['mode', 'crash=draining', 'admin', 1],
  ['mode', 'crash=open', 'admin', 1],
  ['mode', 'withdrawals=closed', 'treasurer', 1],
  ['mode', 'withdrawals=draining', 'treasurer', 2],
  ['mode', 'withdrawals=open', 'treasurer', 2],
]
const EACH = ACTS.flatMap(([act, target, needed, operators]) =>
  ['stranger', ...ROLES].map((role, index) => {
    const may = index > ROLES.indexOf(needed)
    return { act: expiring(act, target), name: `${act} ${target}`, role, may, operators }
  }),
)

describe('an operator’s signature', () => {
  it.each(EACH)('of $name, as $role, counts: $may', ({ act, role, may, operators }) => {
    const first = operators === 2 ? 'waits' : 'carry-out'
    expect(ruled(act, null, role)).toBe(may ? first : 'role_required')
    // Nor does a lower role confirm what another operator has proposed.
    expect(ruled(act, waiting('admin 2'), role)).toBe(may ? 'carry-out' : 'role_required')
  })

  it('of an act that one operator can order has it carried out', () => {
    expect(ruled(freeze, null, 'support')).toBe('carry-out')
  })

  it('of an act on money waits for another operator, of any role that may', () => {
    expect(ruled(unfreeze, null, 'treasurer')).toBe('waits')
    expect(ruled(unfreeze, waiting('treasurer'), 'treasurer 2')).toBe('carry-out')
    expect(ruled(unfreeze, waiting('treasurer'), 'admin')).toBe('carry-out')
  })

  it('changes nothing a second time, however often it is sent', () => {
    expect(ruled(unfreeze, waiting('treasurer'), 'treasurer')).toBe('known')
  })

  it('changes nothing once the act is decided, even after it has expired', () => {
    const kept = { approvals: approved('treasurer', 'admin'), decidedAt: NOW - 1_000 }
    for (const operator of ['treasurer', 'treasurer 2']) {
      expect(ruled(unfreeze, kept, operator, OPERATORS, NOW + 700_000)).toBe('known')
    }
  })

  it('does not count any more once its operator has lost the role', () => {
    const roles = new Map<string, Role>([...OPERATORS, ['treasurer', 'support']])
    expect(ruled(unfreeze, waiting('treasurer'), 'treasurer 2', roles)).toBe('waits')
    expect(ruled(unfreeze, waiting('treasurer', 'treasurer 2'), 'admin', roles)).toBe('carry-out')
    expect(ruled(unfreeze, waiting('treasurer', 'treasurer 2'), 'treasurer', roles)).toBe(
      'role_required',
    )
  })

  it('counts again once its operator has the role back', () => {
    const kept = waiting('treasurer', 'treasurer 2')
    expect(ruled(unfreeze, kept, 'treasurer 2')).toBe('carry-out')
  })
})

describe('an act', () => {
  it('cannot be proposed or confirmed once it has expired', () => {
    const atExpiry = unfreeze.expiresAt * 1_000
    expect(ruled(unfreeze, null, 'treasurer', OPERATORS, atExpiry - 1)).toBe('waits')
    expect(ruled(unfreeze, null, 'treasurer', OPERATORS, atExpiry)).toBe('signature_invalid')
    const kept = waiting('admin')
    expect(ruled(unfreeze, kept, 'treasurer', OPERATORS, atExpiry - 1)).toBe('carry-out')
    expect(ruled(unfreeze, kept, 'treasurer', OPERATORS, atExpiry)).toBe('signature_invalid')
  })

  it('expires within a day', () => {
    const longest = expiring('freeze', WALLET, MAX_ACT_LIFETIME_S)
    expect(ruled(longest, null, 'support')).toBe('carry-out')
    const longer = expiring('freeze', WALLET, MAX_ACT_LIFETIME_S + 1)
    expect(ruled(longer, null, 'support')).toBe('signature_invalid')
  })
})

describe('the refusal of a role', () => {
  const messageOf = (act: Judged[0], operator: string) =>
    judgeApproval(act, null, operator, OPERATORS, NOW)

  it('names the role that the act takes, and those above it if there are any', () => {
    expect(messageOf(unfreeze, 'support')).toMatchObject({
      error: { message: expect.stringContaining('the role treasurer or one above it.') },
    })
    expect(messageOf(expiring('reproject', 'positions'), 'treasurer')).toMatchObject({
      error: { message: expect.stringContaining('It takes the role admin.') },
    })
    expect(messageOf(expiring('reproject', 'positions'), 'stranger')).toMatchObject({
      error: { message: expect.stringContaining('that OPERATORS names as admin.') },
    })
  })
})
