import { modeSettings, type Act, type ActName } from './act.ts'
import { isWalletSwitch, WITHDRAWALS } from './modes.ts'

/** The operators' roles. Each may do everything that the earlier ones may. */
export const ROLES = ['viewer', 'support', 'treasurer', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** The operators' roles, by wallet in EIP-55 form. */
export type Operators = ReadonlyMap<string, Role>

/** The lowest role of an act, and the number of operators who have to sign it. */
export interface Authority {
  role: Role
  operators: 1 | 2
}

/**
 * Who may do what. One operator can stop something at once. Two are needed to release money that was held back, to
 * decide whose it is, or to change players' winnings.
 */
export const AUTHORITY = {
  freeze: { role: 'support', operators: 1 },
  close: { role: 'support', operators: 1 },
  'close-withdrawals': { role: 'treasurer', operators: 1 },
  'open-withdrawals': { role: 'treasurer', operators: 2 },
  unfreeze: { role: 'treasurer', operators: 2 },
  'write-off': { role: 'treasurer', operators: 2 },
  'confirm-withdrawal': { role: 'treasurer', operators: 2 },
  'release-withdrawal': { role: 'treasurer', operators: 2 },
  'open-wallet': { role: 'treasurer', operators: 2 },
  open: { role: 'admin', operators: 1 },
  terms: { role: 'treasurer', operators: 2 },
  restore: { role: 'treasurer', operators: 2 },
  reproject: { role: 'admin', operators: 1 },
} as const satisfies Record<Exclude<ActName, 'mode'> | ModeKind, Authority>

/** The effect of an act on switches. Draining counts as opening: it lets a closed switch go on. */
type ModeKind = 'close' | 'close-withdrawals' | 'open' | 'open-wallet' | 'open-withdrawals'

export type ActKind = keyof typeof AUTHORITY

/** Returns whether a role may do what another may; never for a wallet without a role. */
export function includesRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

/** Returns who may sign an act: of several switches, the strictest counts. */
export function authorityOf(act: Pick<Act, 'act' | 'target'>): Authority {
  const needed = kindsOf(act).map((kind) => AUTHORITY[kind])
  return {
    role: ROLES.findLast((role) => needed.some((each) => each.role === role)) ?? 'admin',
    operators: needed.every(({ operators }) => operators === 1) ? 1 : 2,
  }
}

function kindsOf({ act, target }: Pick<Act, 'act' | 'target'>): ActKind[] {
  if (act !== 'mode') return [act]
  return modeSettings(target).map(([name, mode]): ActKind => {
    const isClosing = mode === 'closed'
    if (name === WITHDRAWALS) return isClosing ? 'close-withdrawals' : 'open-withdrawals'
    if (isClosing) return 'close'
    return isWalletSwitch(name) ? 'open-wallet' : 'open'
  })
}
