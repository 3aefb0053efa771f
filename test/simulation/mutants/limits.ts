import type { Mutant } from './mutants.ts'

const CHECK = 'src/protection/check.ts'
const LIMIT = 'src/protection/limit.ts'
const MINES = 'durable-objects/ledger/mines.ts'
const PERMISSION = 'src/ledger/permission.ts'

export const LIMIT_MUTANTS: Mutant[] = [
  {
    name: 'a stake may pass a limit',
    edits: [
      [CHECK, '  if (used + added <= ceiling) return null', '  if (used <= ceiling) return null'],
    ],
    within: 300,
  },
  {
    name: 'a looser limit is confirmed at once',
    edits: [[LIMIT, '  if (now < from) {', '  if (now < 0) {']],
    within: 300,
  },
  {
    name: 'an excluded player may play',
    edits: [
      [
        CHECK,
        '  const barred = checkExclusion(protection, stake.at, isDebit)',
        '  const barred = null',
      ],
    ],
    within: 300,
  },
  {
    name: 'an expired permission lets a partner debit',
    edits: [[PERMISSION, '(permit && now < permit.expiresAt * 1000)', 'permit']],
    within: 300,
  },
  {
    name: 'a partner debits more than a player permits',
    edits: [
      [PERMISSION, 'if (amountWei <= leftWei) return null', 'if (leftWei >= 0n) return null'],
    ],
    within: 300,
  },
  {
    name: "a wager limit does not count partners' debits",
    edits: [
      [
        'src/protection/measure.ts',
        'return ended + openStakes(head, token) + debited',
        'return ended + openStakes(head, token)',
      ],
    ],
    within: 1_000,
    theme: 'limits change while stakes are made',
  },
  {
    name: 'a game that was left open never ends',
    edits: [[MINES, '    return game && game.openedAt + MAX_OPEN_MS', '    return game && null']],
    within: 1_000,
    theme: 'limits change while stakes are made',
  },
]
