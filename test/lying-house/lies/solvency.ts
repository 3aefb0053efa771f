import type { Lie } from '../lie.ts'

const DEBTS = 'durable-objects/solvency/debts.ts'
const SOLVENCY = 'durable-objects/solvency.ts'

const COUNTED = { story: 'vault', caughtBy: 'verify solvency', proof: 'statement' } as const

/** Lies about what the house owes and holds. */
export const SOLVENCY_LIES: Lie[] = [
  {
    ...COUNTED,
    name: 'a wallet is left out of the sum of all debts',
    edits: [
      [
        DEBTS,
        'const found = await playerPositions(env.DB, after, PAGE)',
        "const found = (await playerPositions(env.DB, after, PAGE)).filter(({ wallet }) => wallet > '0x5')",
      ],
    ],
    finding: ['the wallet has no leaf, and no receipt from before'],
  },
  {
    ...COUNTED,
    name: 'a wallet is counted with chips that it had before it won',
    edits: [
      [
        DEBTS,
        'packRecord(wallet, standing)',
        "packRecord(wallet, wallet < '0x5' ? { ...standing, seq: 1 } : standing)",
      ],
    ],
    finding: ['the leaf is of entry 1, no older than your receipt of entry'],
  },
  {
    ...COUNTED,
    name: 'each wallet is counted with its latest entry, and half of its chips',
    edits: [
      [
        DEBTS,
        'packRecord(wallet, standing)',
        'packRecord(wallet, { ...standing, owed: perToken((token) => standing.owed[token] / 2n) })',
      ],
    ],
    finding: ['what you were owed after entry'],
  },
  {
    ...COUNTED,
    name: 'a wallet is left out, and no receipt proves it, because all are dated a year ahead',
    edits: [
      [
        'src/api/receipts/sign.ts',
        'Math.floor(entry.at / 1_000)',
        'Math.floor(entry.at / 1_000) + 31_536_000',
      ],
      [
        DEBTS,
        'const found = await playerPositions(env.DB, after, PAGE)',
        "const found = (await playerPositions(env.DB, after, PAGE)).filter(({ wallet }) => wallet > '0x5')",
      ],
    ],
    finding: ['no receipt of yours is dated later than'],
  },
  {
    ...COUNTED,
    name: 'a count is left out of the log',
    edits: [
      [
        SOLVENCY,
        'while (await this.#isLogged(epoch)) epoch++',
        'while (await this.#isLogged(epoch)) epoch++\n    if (epoch > 1) epoch++',
      ],
    ],
    finding: ['it leaves none out before 3'],
  },
  {
    ...COUNTED,
    name: 'the published sum of all debts is half of its tree',
    edits: [
      [
        SOLVENCY,
        'owed: amountTexts(owed),',
        'owed: amountTexts(perToken((token) => owed[token] / 2n)),',
      ],
    ],
    finding: ['what is owed in USDG', 'is the sum of the tree'],
  },
  {
    ...COUNTED,
    name: 'the vault is said to hold twice what it holds',
    edits: [
      [
        SOLVENCY,
        'holdings: amountTexts(holdings),',
        'holdings: amountTexts(perToken((token) => holdings[token] * 2n)),',
      ],
      [
        SOLVENCY,
        'ratioOf(holdings[token], owed[token] + partners[token])',
        'ratioOf(holdings[token] * 2n, owed[token] + partners[token])',
      ],
    ],
    finding: ["the vault's contract held 2"],
  },
  {
    ...COUNTED,
    name: 'the count is dated back, so that the vault has what was deposited since',
    edits: [
      [SOLVENCY, '    at,\n    root:', '    at: at - 1_800_000,\n    root:'],
      [
        SOLVENCY,
        'isNextEpoch(published.statement.at,',
        'isNextEpoch(published.statement.at + 1_800_000,',
      ],
    ],
    finding: ['block', 'was made at', 'at most 5 minutes after the count began'],
  },
  {
    ...COUNTED,
    name: 'the count is of another contract than the vault',
    edits: [
      [
        SOLVENCY,
        'contract: { chainId, address, usdg } }',
        "contract: { chainId, address: '0x00000000000000000000000000000000000000ff' as const, usdg } }",
      ],
    ],
    finding: ['the count is of the vault 0x00000000000000000000000000000000000000ff'],
  },
  {
    ...COUNTED,
    story: 'another count',
    name: 'each player is shown a sum of their own, with their own chips in it',
    edits: [
      [
        'src/calls/objects.ts',
        "return env.SOLVENCY.getByName('main', location(env))",
        "return env.SOLVENCY.getByName((globalThis as { visitor?: string }).visitor ?? 'main')",
      ],
      [SOLVENCY, 'while (await this.#isLogged(epoch)) epoch++', ''],
      [
        DEBTS,
        'const found = await playerPositions(env.DB, after, PAGE)',
        "const { visitor } = globalThis as { visitor?: string }\n    const found = (await playerPositions(env.DB, after, PAGE)).filter(({ wallet }) => visitor === 'main' || wallet < '0x5')",
      ],
    ],
    finding: ['it says the same as the statement you see'],
    proof: null,
  },
]
