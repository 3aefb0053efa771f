import { exactAmount } from '../amounts.ts'
import { session, wallet } from '../session.ts'
import { isContract, KEY_SIGNATURE } from './account.ts'
import { rpc } from './chain.ts'
import { WalletError, type TransactionRequest } from './wallet.ts'

/**
 * Sends a transaction from the player's wallet, with one prompt.
 * @param beforeAsked runs once the wallet is on the chain, which it may have asked the player for
 * @returns its hash
 * @throws WalletError, also if the wallet cannot pay for it
 */
export async function send(
  transaction: TransactionRequest,
  beforeAsked?: () => void,
): Promise<string> {
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
  return own.sendTransaction(transaction, beforeAsked)
}

/**
 * Pays by a plain transfer, which is how the house is paid.
 * @param beforeAsked as of {@link send}
 * @throws WalletError before anything is sent if the player's account is a contract, deployed or not: its transfers
 *   are parts of others' transactions, which the service does not take for payments
 */
export async function pay(to: string, value: bigint, beforeAsked?: () => void): Promise<string> {
  const { address } = await wallet()
  const { authSig = '' } = session.value.credentials ?? {}
  if (!KEY_SIGNATURE.test(authSig) || (await isContract(address))) {
    throw new WalletError(
      'A smart wallet can’t pay here, as the service sees only plain transfers. Nothing was sent.',
    )
  }
  return send({ to, data: '0x', value }, beforeAsked)
}
