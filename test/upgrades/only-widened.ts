import type * as worker from '../../src/worker.ts'
import type { Released } from './released.ts'

type Objects = { [Name in keyof Released]: InstanceType<(typeof worker)[Name]> }

/** A call whose released callers expect no answer may have one. */
type Ignored<Call> = Call extends (...given: infer Given) => Promise<void>
  ? (...given: Given) => Promise<unknown>
  : Call
type Called = {
  [Name in keyof Released]: {
    [Method in keyof Released[Name]]: Ignored<Released[Name][Method]>
  }
}

/**
 * Compiles only if the objects take and answer everything that those of the last release did: while a version is
 * deployed gradually, the released version calls the new one's objects.
 */
export const onlyWidened = (objects: Objects): Called => objects
