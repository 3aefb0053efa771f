import type { Break } from './breaks/break.ts'
import { MOVEMENT_BREAKS } from './breaks/movements.ts'
import { PERMISSION_BREAKS } from './breaks/permissions.ts'
import { REQUEST_BREAKS } from './breaks/requests.ts'

export const BREAKS: Break[] = [...MOVEMENT_BREAKS, ...REQUEST_BREAKS, ...PERMISSION_BREAKS]
