import { z } from 'zod'
import {
  address,
  amount,
  bytes32,
  count,
  describes,
  hex,
  ok,
  text,
  Transaction,
  txHash,
} from '../http/answers-schema.ts'
import type { BoxPepper } from '../../chain/boxes.ts'
import type { showWallet } from './shop.ts'

const boxId = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .meta({ description: 'The id of the box, as decimal text.' })
const kind = count('The number of its kind.')
const nonce = txHash('What the award contract pays the prize under, once')
const prize = amount('The prize, of the reward token')

const stats = z
  .object({
    bought: count('How many it has bought.'),
    revealed: count('How many of them are revealed.'),
    claimed: count('How many prizes are paid.'),
  })
  .meta({ description: 'What the wallet did.' })

const Pepper = describes<BoxPepper>()(
  z.object({
    pepperHash: bytes32("sha256 of the batch's pepper, on chain before its first sale"),
    pepper: bytes32("The batch's pepper")
      .nullable()
      .meta({ description: "The batch's pepper; null until the batch has ended." }),
  }),
)

const boxes = z
  .array(
    z.object({
      boxId,
      kind,
      state: z
        .enum(['closed', 'revealed'])
        .meta({ description: 'Closed boxes cannot be transferred.' }),
      tier: count('What it holds.')
        .nullable()
        .meta({ description: 'The tier, from 0; null while it is closed.' }),
      prize: prize
        .nullable()
        .meta({ description: 'The prize in smallest units; null while it is closed.' }),
      claimed: z.boolean().meta({ description: 'Whether the prize is paid.' }),
      batch: count('The number of its batch.'),
      ...Pepper.shape,
    }),
  )
  .meta({ description: 'Up to 100 boxes, the oldest first.' })

const shop = {
  kinds: z
    .array(
      z.object({
        kind,
        price: amount("The price, of the chain's own coin"),
        isForSale: z.boolean().meta({ description: 'Whether it can be bought.' }),
        tiers: z
          .array(
            z.object({
              tier: count('Its place, from 0.'),
              label: text('Its name.'),
              bps: count('The chance, of 10000.'),
              prize,
            }),
          )
          .meta({ description: 'What it may hold.' }),
      }),
    )
    .meta({ description: 'What there is to buy.' }),
  contract: address('The contract of the boxes'),
  chainId: count('The chain it is on.'),
}

export const WalletAnswer = z
  .object({
    ok,
    boxes,
    next: count('The next page.')
      .nullable()
      .meta({ description: '`from` of the next page; null where this is the last.' }),
    stats,
    ...shop,
  })
  .meta({ id: 'BoxWallet' })

type Shown = Awaited<ReturnType<typeof showWallet>>
describes<Pick<Shown, 'next' | 'stats' | 'kinds' | 'contract' | 'chainId'>>()(
  WalletAnswer.omit({ ok: true, boxes: true }),
)

export const BoxAnswer = z.object({ ok, boxes, ...shop }).meta({ id: 'Box' })

export const BuyAnswer = z
  .object({ ok, tx: Transaction, kind, price: amount("The price, of the chain's own coin") })
  .meta({ id: 'BuyAnswer' })

export const RevealAnswer = z
  .object({
    ok,
    boxId,
    tier: count('What it holds: the tier, from 0.'),
    prize,
    nonce,
    signature: hex('The EIP-712 signature of the opening, which the contract checks'),
    tx: Transaction,
  })
  .meta({ id: 'RevealAnswer' })

export const ClaimAnswer = z
  .object({ ok, boxId, prize, nonce, tx: Transaction })
  .meta({ id: 'ClaimAnswer' })
