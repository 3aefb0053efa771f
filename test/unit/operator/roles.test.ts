import { describe, expect, it } from 'vitest'
import { ACTS, type ActName } from '../../../src/operator/act.ts'
import {
  AUTHORITY,
  authorityOf,
  includesRole,
  ROLES,
  type ActKind,
} from '../../../src/operator/roles.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Each act with its lowest role and the number of operators who sign it. */
const TABLE: [ActName, string, string, number][] = [
  ['freeze', WALLET, 'support', 1],
  ['mode', 'crash=closed', 'support', 1],
  ['mode', 'all=closed,token:ETH=closed', 'support', 1],
  ['mode', 'partner:acme=closed', 'support', 1],
  ['mode', 'withdrawals=closed', 'treasurer', 1],
  ['mode', 'crash=closed,withdrawals=closed', 'treasurer', 1],
  ['mode', 'withdrawals=open', 'treasurer', 2],
  ['mode', 'withdrawals=draining', 'treasurer', 2],
  ['mode', `wallet:${WALLET}=closed`, 'support', 1],
  ['mode', `wallet:${WALLET}=open`, 'treasurer', 2],
  ['restore', WALLET, 'treasurer', 2],
  ['restore', `${WALLET}@2026-11-22T10:00:00Z`, 'treasurer', 2],
  ['unfreeze', WALLET, 'treasurer', 2],
  ['write-off', WALLET, 'treasurer', 2],
  ['confirm-withdrawal', `${WALLET}:3`, 'treasurer', 2],
  ['release-withdrawal', `${WALLET}:3`, 'treasurer', 2],
  ['mode', 'crash=open', 'admin', 1],
  ['mode', 'all=draining', 'admin', 1],
  ['mode', 'crash=closed,mines=open', 'admin', 1],
  ['mode', 'all=open,withdrawals=open', 'admin', 2],
  ['mode', 'crash=open,crash=closed', 'admin', 1],
  ['reproject', 'everything', 'admin', 1],
  ['terms', '{"crash.edgeBps":150}', 'treasurer', 2],
]

describe('an act', () => {
  it.each(TABLE)('%s %s takes the role %s and %i operators', (act, target, role, operators) => {
    expect(target).toMatch(ACTS[act])
    expect(authorityOf({ act, target })).toEqual({ role, operators })
  })

  it('of every kind is in this table', () => {
    expect(new Set(TABLE.map(([act]) => act))).toEqual(new Set(Object.keys(ACTS)))
  })

  it('that moves money is never one operator’s alone, and never support’s', () => {
    const money: ActKind[] = ['unfreeze', 'write-off', 'confirm-withdrawal', 'release-withdrawal']
    for (const kind of [...money, 'open-withdrawals', 'open-wallet', 'restore'] as const) {
      expect([kind, AUTHORITY[kind].operators]).toEqual([kind, 2])
      expect([kind, includesRole('support', AUTHORITY[kind].role)]).toEqual([kind, false])
    }
  })
})

describe('a role', () => {
  it('may do what those before it may, and nothing of those after it', () => {
    for (const [index, role] of ROLES.entries()) {
      const may = ROLES.map((needed) => includesRole(role, needed))
      expect([role, may]).toEqual([role, ROLES.map((_needed, other) => other <= index)])
    }
  })

  it('that a wallet does not have allows nothing, not even to look', () => {
    expect(ROLES.filter((role) => includesRole(undefined, role))).toEqual([])
  })
})
