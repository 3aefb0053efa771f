import { z } from 'zod'
import type { BoxPepper } from '../../chain/boxes.ts'
import {
  address,
  amount,
  component,
  bytes32,
  count,
  describes,
  flag,
  hex,
  ok,
  oneOf,
  orNull,
  record,
  records,
  text,
  Transaction,
  txHash,
} from '../http/answers-schema.ts'
import { TermsAnswer } from '../receipts/answers-schema.ts'
import type { showWallet } from './shop.ts'

const boxId = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .describe("The box's id, as decimal text.")
const kind = count("The number of the box's kind.")
const nonce = txHash('The nonce under which the award contract pays the prize, once')
const prize = amount('The prize, in the reward token')

const stats = record("The wallet's totals.", {
  bought: count('The number of boxes bought.'),
  revealed: count('The number of boxes revealed.'),
  claimed: count('The number of prizes paid.'),
})

const Pepper = describes<BoxPepper>()(
  z.object({
    pepperHash: bytes32("The sha256 of the batch's pepper, on chain before the batch's first sale"),
    pepper: orNull(
      "The batch's pepper; null until the batch has ended.",
      bytes32("The batch's pepper"),
    ),
  }),
)

const boxes = records('Up to 100 boxes, oldest first unless `order` says otherwise.', {
  boxId,
  kind,
  state: oneOf('Closed boxes cannot be transferred.', ['closed', 'revealed']),
  tier: orNull('The tier, from 0; null while the box is closed.', count('The tier.')),
  prize: orNull('The prize in smallest units; null while the box is closed.', prize),
  claimed: flag('Whether the prize has been paid.'),
  batch: count("The number of the box's batch."),
  ...Pepper.shape,
})

const shop = {
  terms: TermsAnswer,
  kinds: records('The kinds of boxes.', {
    kind,
    price: amount("The price, in the chain's native coin"),
    isForSale: flag('Whether this kind is for sale.'),
    tiers: records('The possible tiers.', {
      tier: count("The tier's number, from 0."),
      label: text("The tier's name."),
      bps: count('The chance, in basis points.'),
      prize,
    }),
  }),
  contract: address('The box contract'),
  chainId: count("The chain id of the contract's chain."),
}

export const WalletAnswer = component('BoxWallet', {
  ok,
  boxes,
  next: orNull(
    'The `from` of the next page; null on the last page.',
    count('The start of the next page.'),
  ),
  stats,
  ...shop,
})

type ShownWallet = Awaited<ReturnType<typeof showWallet>>
describes<Pick<ShownWallet, 'next' | 'stats' | 'terms' | 'kinds' | 'contract' | 'chainId'>>()(
  WalletAnswer.omit({ ok: true, boxes: true }),
)

export const BoxAnswer = component('Box', { ok, boxes, ...shop })

export const BuyAnswer = component('BuyAnswer', {
  ok,
  tx: Transaction,
  kind,
  price: amount("The price, in the chain's native coin"),
})

export const RevealAnswer = component('RevealAnswer', {
  ok,
  boxId,
  tier: count("The box's tier, from 0."),
  prize,
  nonce,
  signature: hex("The house's EIP-712 signature of the opening, which the contract checks"),
  tx: Transaction,
})

export const ClaimAnswer = component('ClaimAnswer', { ok, boxId, prize, nonce, tx: Transaction })
