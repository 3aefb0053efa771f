import { z } from 'zod'
import type { BoxPepper } from '../../chain/boxes.ts'
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
import type { showWallet } from './shop.ts'

const boxId = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .meta({ description: "The box's id, as decimal text." })
const kind = count("The number of the box's kind.")
const nonce = txHash('The nonce under which the award contract pays the prize, once')
const prize = amount('The prize, in the reward token')

const stats = z
  .object({
    bought: count('The number of boxes bought.'),
    revealed: count('The number of boxes revealed.'),
    claimed: count('The number of prizes paid.'),
  })
  .meta({ description: "The wallet's totals." })

const Pepper = describes<BoxPepper>()(
  z.object({
    pepperHash: bytes32("The sha256 of the batch's pepper, on chain before the batch's first sale"),
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
      tier: count('The tier.')
        .nullable()
        .meta({ description: 'The tier, from 0; null while the box is closed.' }),
      prize: prize
        .nullable()
        .meta({ description: 'The prize in smallest units; null while the box is closed.' }),
      claimed: z.boolean().meta({ description: 'Whether the prize has been paid.' }),
      batch: count("The number of the box's batch."),
      ...Pepper.shape,
    }),
  )
  .meta({ description: 'Up to 100 boxes, oldest first.' })

const shop = {
  kinds: z
    .array(
      z.object({
        kind,
        price: amount("The price, in the chain's native coin"),
        isForSale: z.boolean().meta({ description: 'Whether this kind is for sale.' }),
        tiers: z
          .array(
            z.object({
              tier: count("The tier's number, from 0."),
              label: text("The tier's name."),
              bps: count('The chance, in basis points.'),
              prize,
            }),
          )
          .meta({ description: 'The possible tiers.' }),
      }),
    )
    .meta({ description: 'The kinds of boxes.' }),
  contract: address('The box contract'),
  chainId: count("The chain id of the contract's chain."),
}

export const WalletAnswer = z
  .object({
    ok,
    boxes,
    next: count('The start of the next page.')
      .nullable()
      .meta({ description: 'The `from` of the next page; null on the last page.' }),
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
  .object({ ok, tx: Transaction, kind, price: amount("The price, in the chain's native coin") })
  .meta({ id: 'BuyAnswer' })

export const RevealAnswer = z
  .object({
    ok,
    boxId,
    tier: count("The box's tier, from 0."),
    prize,
    nonce,
    signature: hex("The house's EIP-712 signature of the opening, which the contract checks"),
    tx: Transaction,
  })
  .meta({ id: 'RevealAnswer' })

export const ClaimAnswer = z
  .object({ ok, boxId, prize, nonce, tx: Transaction })
  .meta({ id: 'ClaimAnswer' })
