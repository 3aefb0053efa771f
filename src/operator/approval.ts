import { refuse, type Refusal } from '../core/refusal.ts'
import type { Act, ActResult } from './act.ts'
import type { Approval } from './journal.ts'
import {
  authorityOf,
  includesRole,
  ROLES,
  type Authority,
  type Operators,
  type Role,
} from './roles.ts'
import type { ModesVersion } from './versions.ts'

/** An act and its signers. */
export interface ActRecord extends Act {
  /** Its EIP-712 hash, in lower-case hex with 0x. */
  hash: string
  /** The role that it takes, and the number of signatures. */
  needs: Authority
  approvals: Approval[]
  /** When the last signature that it needs arrived, in unix milliseconds; null while it waits for that. */
  decidedAt: number | null
  /** The result; null while the act waits or is in progress. */
  result: ActResult | null
}

/** The operators' settings and acts. */
export interface ControlOverview {
  /** The newest version of the modes; null before the first. */
  version: ModesVersion | null
  /** Everything that can be closed, by name. */
  switches: string[]
  /** Each list the newest first. */
  acts: { waiting: ActRecord[]; decided: ActRecord[] }
}

/** The effect of an approval: nothing new, an act that waits for another operator, or one to carry out now. */
type Ruling = 'known' | 'waits' | 'carry-out'

/** How long an act waits for its last signature if nobody chose a time, in seconds. */
export const ACT_LIFETIME_S = 3_600

/** How long an act may wait for its last signature, in seconds. */
export const MAX_ACT_LIFETIME_S = 86_400

/**
 * Decides on an operator's signature of an act, which the caller has verified. Repeating it changes nothing. An
 * operator who no longer has the role does not count, so that a leaked key can be taken out of the configuration.
 * @param kept the act as it is known; null for a new one
 * @param operator in EIP-55 form
 */
export function judgeApproval(
  act: Pick<Act, 'act' | 'target' | 'expiresAt'>,
  kept: Pick<ActRecord, 'approvals' | 'decidedAt'> | null,
  operator: string,
  roles: Operators,
  now: number,
): Ruling | Refusal {
  const needed = authorityOf(act)
  const role = roles.get(operator)
  if (role === undefined) return notAnOperator(operator, needed.role)
  if (!includesRole(role, needed.role)) return roleRequired(needed.role)
  if (kept !== null && kept.decidedAt !== null) return 'known'
  const refusal = checkExpiry(act, now)
  if (refusal) return refusal
  const approvals = kept?.approvals ?? []
  const standing = standingIn(approvals, needed, roles)
  if (new Set([...standing, operator]).size >= needed.operators) return 'carry-out'
  return approvals.some((approval) => approval.operator === operator) ? 'known' : 'waits'
}

/** Returns the operators whose signatures of an act still count. */
export function standingIn(
  approvals: readonly Approval[],
  needed: Authority,
  roles: Operators,
): string[] {
  const signers = approvals.map(({ operator }) => operator)
  return signers.filter((wallet) => includesRole(roles.get(wallet), needed.role))
}

/** Refuses a wallet without any role. */
export function notAnOperator(wallet: string, role: Role): Refusal {
  return refuse(
    'role_required',
    `${wallet} is not an operator. Sign with a wallet that OPERATORS names as ${orAbove(role, 'or above')}.`,
    { role },
  )
}

/** Refuses an operator whose role does not allow something. */
export function roleRequired(role: Role): Refusal {
  return refuse(
    'role_required',
    `Your role does not allow this. It takes the role ${orAbove(role, 'or one above it')}.`,
    { role },
  )
}

/** No role is above the highest. */
function orAbove(role: Role, words: string): string {
  return role === ROLES.at(-1) ? role : `${role} ${words}`
}

function checkExpiry({ expiresAt }: Pick<Act, 'expiresAt'>, now: number): Refusal | null {
  if (expiresAt * 1_000 <= now) {
    return refuse('signature_invalid', 'The act has expired. Sign it again with a later expiresAt.')
  }
  if (expiresAt * 1_000 - now > MAX_ACT_LIFETIME_S * 1_000) {
    return refuse(
      'signature_invalid',
      'The act expires too late. Sign it again with an expiresAt at most 24 hours from now.',
    )
  }
  return null
}
