import { exactAmount } from '../amounts.ts'
import { wallet } from '../session.ts'
import { rpc } from './chain.ts'
import { WalletError, type Transaction } from './wallet.ts'

/**
 * Sends a transaction from the player's wallet, with one prompt.
 * @returns its hash
 * @throws WalletError, also if the wallet cannot pay for it
 */
export async function send(transaction: Transaction): Promise<string> {
  const own = await wallet()
  const { value } = transaction
  if (value > 0n) {
    const holds = BigInt(await rpc<string>('eth_getBalance', [own.address, 'latest']))
    if (holds < value) {
      throw new WalletError(
        `This costs ${exactAmount(value, 'ETH')} ETH, but your wallet has ${exactAmount(holds, 'ETH')} ETH on this chain.`,
      )
    }
  }
  return own.sendTransaction(transaction)
}

/** Pays by a plain transfer, which is how the house is paid. */
export function pay(to: string, value: bigint): Promise<string> {
  return send({ to, data: '0x', value })
}
