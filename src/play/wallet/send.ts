import { exactAmount } from '../amounts.ts'
import { wallet } from '../session.ts'
import { rpc } from './chain.ts'
import { WalletError, type Transaction } from './wallet.ts'

/**
 * Sends a transaction from the player's wallet: one prompt.
 * @returns its hash
 * @throws WalletError, also where the wallet holds too little to pay for it
 */
export async function send(transaction: Transaction): Promise<string> {
  const own = await wallet()
  const { value } = transaction
  if (value > 0n) {
    const holds = BigInt(await rpc<string>('eth_getBalance', [own.address, 'latest']))
    if (holds < value) {
      throw new WalletError(
        `This costs ${exactAmount(value, 'ETH')} ETH, and your wallet holds ${exactAmount(holds, 'ETH')} on this chain.`,
      )
    }
  }
  return own.sendTransaction(transaction)
}

/** Pays by a plain transfer, as payments to the house are made. */
export function pay(to: string, value: bigint): Promise<string> {
  return send({ to, data: '0x', value })
}
