import { z } from 'zod'
import type { PepperSource } from '../../fairness/pepper.ts'
import { bytes32, count, describes, variant } from '../http/answers-schema.ts'

export const Pepper = describes<PepperSource>()(
  z
    .discriminatedUnion('kind', [
      variant('drand-quicknet', {
        kind: z.literal('drand-quicknet').describe('A public beacon.'),
        round: count('The number of the drand round that provides the pepper.'),
      }),
      variant('committed', {
        kind: z.literal('committed').describe('Local play only.'),
        pepperHash: bytes32('The sha256 of the pepper'),
      }),
    ])
    .meta({
      id: 'PepperSource',
      description: 'The source of the pepper, fixed before betting opens.',
    }),
)
