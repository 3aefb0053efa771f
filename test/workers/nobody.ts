import type { Owner } from '../../durable-objects/kernel/owner.ts'

/** For tests of a part without an object. */
export const NOBODY: Owner = { object: 'none', reportStuck: () => {} }
