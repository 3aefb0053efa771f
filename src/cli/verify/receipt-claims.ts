import { z } from 'zod'
import { Pepper } from '../../api/fairness/answers-schema.ts'
import { AMOUNT_PATTERN, SIGNED_AMOUNT_PATTERN } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'
import { RECEIPT_TYPE, type Receipt } from '../../receipts/claims.ts'
import { parseJws } from '../../receipts/jws.ts'
import type { SignedReceipt } from '../../verify/receipt-signature.ts'
import { CommandError } from '../shared/terminal.ts'
import { Hash, RoundId } from './disclosure.ts'
import { readAs } from './read.ts'

const Header = z.object({
  alg: z.literal('ES256'),
  typ: z.literal(RECEIPT_TYPE),
  kid: z.string().min(1),
})

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

const Amount = z.string().regex(AMOUNT_PATTERN)
const SignedAmount = z.string().regex(SIGNED_AMOUNT_PATTERN)
const Nonce = z.int().min(0)
const Count = z.int().min(1)
const Token = z.enum(TOKENS)

/** The claims of every receipt. */
export const issued = {
  // Under a second spelling of its origin, a house could sign receipts that contradict its others.
  iss: z
    .string()
    .refine(isOrigin, 'must be exactly the origin of a site, like https://play.example.com'),
  sub: z.string().regex(/^0x[0-9a-f]{40}$/),
  iat: z.int().min(0),
  chainId: z.int().min(1),
  seq: z.int().min(0),
  entry: Hash,
  owed: z.object({ ETH: Amount, USDG: Amount }).exactOptional(),
  terms: Hash,
}

const Game = z.object({
  nonce: Nonce,
  seedHash: Hash,
  nextSeedHash: Hash,
  clientSeed: z.string(),
  token: Token,
  amountWei: Amount,
  mines: Count,
  maxPicks: Count,
  picked: z.array(z.int().min(0)),
  multiplier: z.number(),
  next: z.number().nullable(),
  payout: Amount,
  openedAt: z.int().min(0),
})

const moved = {
  partner: z.string(),
  partnerTransactionId: z.string(),
  currency: Token,
  amountWei: SignedAmount,
  balanceWei: Amount,
}

/** The claims of a receipt, by kind. */
export const Claims = z.discriminatedUnion('kind', [
  z.object({
    ...issued,
    kind: z.literal('bet'),
    roundId: RoundId,
    seedHash: Hash,
    pepperSource: Pepper,
    token: Token,
    amountWei: Amount,
    autoCashout: z.number().nullable(),
  }),
  z.object({
    ...issued,
    kind: z.literal('cashout'),
    roundId: RoundId,
    multiplier: z.number(),
    payout: Amount,
    at: z.int().min(0),
  }),
  z.object({
    ...issued,
    kind: z.literal('play'),
    game: z.string(),
    nonce: Nonce,
    seedHash: Hash,
    nextSeedHash: Hash,
    clientSeed: z.string(),
    params: z.record(z.string(), z.json()),
    token: Token,
    amountWei: Amount,
    payout: Amount,
  }),
  z.object({ ...issued, kind: z.literal('mines-open'), game: Game }),
  z.object({ ...issued, kind: z.literal('mines-pick'), game: Game }),
  z.object({
    ...issued,
    kind: z.literal('withdrawal'),
    nonce: Nonce,
    token: Token,
    amountWei: Amount,
  }),
  z.object({ ...issued, kind: z.literal('transaction'), ...moved }),
  z.object({
    ...issued,
    kind: z.literal('rollback'),
    originalTransactionId: z.string(),
    ...moved,
  }),
])

/**
 * Reads a receipt, whose signature remains to be verified.
 * @throws CommandError with the problems if the text isn't a receipt
 */
export function readReceipt(text: string): SignedReceipt {
  const jws = parseJws(text)
  if (!jws) throw new CommandError(`This is not a receipt: ${text.slice(0, 40)}…`)
  const { kid } = readAs(Header, jws.header, 'The header is not that of a receipt')
  const receipt: Receipt = readAs(Claims, jws.payload, 'The claims are not those of a receipt')
  return { receipt, kid, jws }
}
