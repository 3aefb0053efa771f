import type { Group } from './case.ts'
import { happyPath } from './cases/happy-path.ts'
import { idempotency } from './cases/idempotency.ts'
import { input } from './cases/input.ts'
import { rollback } from './cases/rollback.ts'
import { token } from './cases/token.ts'

/** Everything that a partner has to be able to rely on. */
export const GROUPS: readonly Group[] = [happyPath, idempotency, rollback, input, token]
