import type { Group } from './case.ts'
import { amounts } from './cases/amounts.ts'
import { happyPath } from './cases/happy-path.ts'
import { idempotency } from './cases/idempotency.ts'
import { input } from './cases/input.ts'
import { permission } from './cases/permission.ts'
import { rollback } from './cases/rollback.ts'
import { token } from './cases/token.ts'

/** All guarantees to partners. */
export const GROUPS: readonly Group[] = [
  happyPath,
  idempotency,
  rollback,
  permission,
  amounts,
  input,
  token,
]
