import type { Published } from '../published.ts'

/** Published outcomes of a third-party verifier of the field's convention. */
export const PLINKO_16: Published<string> = {
  clientSeed: 'Se6QIZfZ',
  serverSeed: '05ab9aeec2e6a8cd924f2aeab4dabe68f53c75c43c5fde1f2e0b5103cdd8efc9',
  firstNonce: 1,
  results: [
    'LLRRLLLLRRLRLRLR',
    'LRLRLLLLRLRLLRRL',
    'RLRLRRLRRRRRLLRR',
    'RRLRLLLRRLRLLRLL',
    'RLLRLLLRRRLLRLLL',
    'RRRRRLRRRRLLLRLL',
    'LLLLRLLLRLRRLLLR',
    'RRLLLRRRRLRRLRLL',
    'LLLLRRLLRRRLLLRR',
    'LRRLRRRLRRLLLLLL',
    'LRLRLRLRLRRRLRLL',
    'RLLRLRRLLRLRLRLR',
    'RRLRRLRRLLRLRRRR',
    'RRLLLRRLRLRLLLLL',
    'RLRLRLRRLLRRRLLR',
    'LLRRRLLRRLRRLLLR',
    'RRLLRRLRLLLLRLLR',
    'RRLRLRRRRRLRLRLL',
    'LRLLRRLRRRRRRRRR',
    'RRRRLLLRRLLLLRLR',
    'RLLRLLLRLRRLRRRL',
    'RLLRLRLLRLLRRRLL',
    'RLRRRRRRLRRRRRRR',
    'LLLRLRRLRRLRRRLL',
  ],
}
