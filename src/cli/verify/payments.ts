import type { Hash } from 'viem'
import { readChainId, type ChainNode } from '../../chain/client.ts'
import { hadPayment, readPayment } from '../../chain/payment.ts'
import { messageOf } from '../../core/fault.ts'
import type { DisclosedOpening } from '../../verify/opening.ts'
import type { PaymentOnChain } from '../../verify/payment.ts'
import { CommandError } from '../shared/terminal.ts'
import type { Uncompared } from './logged-round.ts'

/** The payment and the block that an opening names. */
type NamedPayment = Extract<DisclosedOpening['from'], { txHash: string }>

/** Reads a payment from the chain, or returns why that shows nothing of its block. */
export type ReadPayment = (named: NamedPayment) => Promise<PaymentOnChain | string>

/**
 * Returns a reader of payments.
 * @param rpcUrl of a node that the house does not run
 * @throws CommandError if the node doesn't answer
 */
export async function paymentReader(rpcUrl: string): Promise<ReadPayment> {
  const chainId = await readChainId(rpcUrl).catch((fault: unknown) => {
    throw new CommandError(`The node of --rpc did not say which chain it is on: ${reasonOf(fault)}`)
  })
  const node = { chainId, rpcUrl }
  return async (named) => {
    try {
      return await paymentOn(node, named)
    } catch (fault) {
      return `The node did not say which block payment ${named.txHash} is in: ${reasonOf(fault)}`
    }
  }
}

async function paymentOn(
  node: ChainNode,
  { txHash, blockHash }: NamedPayment,
): Promise<PaymentOnChain | string> {
  const hash = txHash as Hash
  const facts = await readPayment(node, hash)
  if (!facts?.mined) {
    return `The node of chain ${node.chainId} does not have payment ${txHash} in a block. The node may be on another chain than the site, or keep no old transactions.`
  }
  const { mined } = facts
  const isOther = mined.blockHash !== blockHash
  if (isOther && (await hadPayment(node, hash, blockHash as Hash))) {
    return `The chain has dropped block ${blockHash}, in which payment ${txHash} was opened, and has it in ${mined.blockHash} now. The house does not open it again.`
  }
  return { ...facts, mined }
}

function reasonOf(fault: unknown): string {
  return messageOf(fault).split('\n', 1)[0] ?? ''
}

/** The facts on the chain about the payments of some openings. */
export interface PaymentsOnChain {
  /** By hash. */
  payments: ReadonlyMap<string, PaymentOnChain>
  /** Why some payments were not compared with the chain; null if all were. */
  uncomparedPayments: Uncompared | null
}

/** Loads the payments of openings from the chain. @param read null if no node was named */
export async function loadPayments(
  openings: readonly DisclosedOpening[],
  read: ReadPayment | null,
): Promise<PaymentsOnChain> {
  const payments = new Map<string, PaymentOnChain>()
  let uncomparedPayments: Uncompared | null = null
  for (const { from } of openings) {
    if ('pepper' in from) continue
    const paid = read && (await read(from))
    if (typeof paid === 'string') uncomparedPayments = { why: paid, isUnreached: true }
    else if (paid) payments.set(from.txHash, paid)
    else uncomparedPayments = WITHOUT_NODE
  }
  return { payments, uncomparedPayments }
}

const WITHOUT_NODE: Uncompared = {
  why: 'The house could have named a block of its own to choose the roll. Add --rpc URL with a node that the house does not run, or look the payment up in an explorer. It must be in the block shown here, and that block must be of the day of the seed.',
  isUnreached: false,
}
