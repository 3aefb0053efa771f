import type { Mutant } from './mutants.ts'

const BOXES = 'src/chain/boxes.ts'
const ROUTES = 'src/api/box-nft/routes.ts'
const SHOP = 'src/api/box-nft/shop.ts'
const SWEEP = 'src/sweep.ts'

const ON_A_CHANGING_CHAIN = 'boxes are opened while the chain changes its mind'

export const BOX_MUTANTS: Mutant[] = [
  {
    name: 'a box is revealed before its purchase is confirmed',
    edits: [[SHOP, 'readBox(boxes, boxId, true)', 'readBox(boxes, boxId, false)']],
    within: 200,
  },
  {
    name: 'the pepper of boxes is not compared with its hash',
    edits: [
      [
        SHOP,
        '    commitmentOf(pepper) === pepperHash,\n',
        '    commitmentOf(pepper) && pepperHash,\n',
      ],
    ],
    within: 1_000,
    theme: ON_A_CHANGING_CHAIN,
  },
  {
    name: 'a fault names the wrong pepper of boxes',
    edits: [[SHOP, '`the pepper of batch ${batch} matches', '`the pepper ${pepper} matches']],
    within: 1_000,
    theme: ON_A_CHANGING_CHAIN,
  },
  {
    name: 'an opened box is drawn again',
    edits: [[SHOP, 'box.isOpened ? { ...box, needsNoSignature: false } : await', 'await']],
    within: 1_000,
  },
  {
    name: 'a batch of boxes is logged before it is confirmed',
    edits: [
      [
        BOXES,
        'const final = await confirmedHead(boxes)',
        'const final = await confirmedHead({ ...boxes, confirmations: 1 })',
      ],
    ],
    within: 2_000,
    theme: ON_A_CHANGING_CHAIN,
  },
  {
    name: 'only the latest batch of boxes is logged',
    edits: [[SWEEP, 'const LOGGED_BATCHES = 2', 'const LOGGED_BATCHES = 1']],
    within: 2_000,
    theme: ON_A_CHANGING_CHAIN,
  },
  {
    name: 'a box is offered although its highest prize is not covered',
    edits: [[BOXES, 'kind.isForSale && kind.topPrize <= leftover', 'kind.isForSale']],
    within: 1_000,
    theme: ON_A_CHANGING_CHAIN,
  },
  {
    name: 'a view of boxes is kept for ten seconds',
    edits: [[ROUTES, 'const KEPT_MS = 1_000', 'const KEPT_MS = 10_000']],
    within: 200,
  },
  {
    name: 'an excluded player is sold a box',
    edits: [
      [ROUTES, '        if (isBarred) return NOT_SOLD\n', '        void isBarred, NOT_SOLD\n'],
    ],
    within: 6_000,
    theme: ON_A_CHANGING_CHAIN,
  },
]
