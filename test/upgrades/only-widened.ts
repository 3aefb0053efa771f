import type * as worker from '../../src/worker.ts'
import type { Released } from './released.ts'

type Objects = { [Name in keyof Released]: InstanceType<(typeof worker)[Name]> }

/**
 * Compiles only if the objects take and answer everything that those of the last release did: while a version is
 * deployed gradually, the released version calls the new one's objects.
 */
export const onlyWidened = (objects: Objects): Released => objects
