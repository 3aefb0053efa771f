import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevAccount } from '../../api/dev/players.ts'
import { rpc } from './chain.ts'
import type { Transaction, TypedData, Wallet } from './wallet.ts'

interface Fees {
  baseFeePerGas: Hex
}

/** A wallet with a publicly known key, for local play. */
export function developmentWallet({ privateKey }: DevAccount): Wallet {
  const account = privateKeyToAccount(privateKey)
  const { address } = account

  async function sendTransaction({ to, data, value }: Transaction): Promise<string> {
    const call = { from: address, to, data, value: `0x${value.toString(16)}` }
    const [chainId, nonce, gas, block] = await Promise.all([
      rpc<Hex>('eth_chainId'),
      rpc<Hex>('eth_getTransactionCount', [address, 'pending']),
      rpc<Hex>('eth_estimateGas', [call]),
      rpc<Fees>('eth_getBlockByNumber', ['latest', false]),
    ])
    const tip = 1_000_000_000n
    const raw = await account.signTransaction({
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas: (BigInt(gas) * 5n) / 4n,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: BigInt(block.baseFeePerGas) * 2n + tip,
      to: to as Address,
      data: data as Hex,
      value,
    })
    return rpc('eth_sendRawTransaction', [raw])
  }

  return {
    address,
    signMessage: (message) => account.signMessage({ message }),
    signTypedData: (typed: TypedData) => account.signTypedData(typed as never),
    sendTransaction,
  }
}
