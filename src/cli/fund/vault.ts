import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type Address,
  type Hex,
} from 'viem'
import { vaultAbi } from '../../chain/abi.ts'
import type { Token } from '../../money/token.ts'
import { showAmount } from '../shared/amounts.ts'
import { connect, inPlainWords } from '../shared/chain-account.ts'
import type { ChainWallet } from '../shared/chain-wallet.ts'
import type { VaultAccess } from '../shared/manifest.ts'
import { CommandError } from '../shared/terminal.ts'

/** Returns the vault at an address on the node's chain. @throws CommandError if the address has no vault */
export async function findVault(
  rpcUrl: string,
  privateKey: Hex,
  address: Address,
): Promise<VaultAccess> {
  const chain = connect(rpcUrl, privateKey)
  const chainId = await inPlainWords(chain.getChainId())
  try {
    const usdg = await chain.readContract({ address, abi: vaultAbi, functionName: 'USDG' })
    return { rpcUrl, chainId, address, usdg }
  } catch (fault) {
    if (fault instanceof BaseError && fault.walk(isAnotherContract) !== null) {
      throw new CommandError(`--vault ${address} is not a Fairhouse vault on this chain.`)
    }
    return inPlainWords(Promise.reject(fault))
  }
}

/** Whether nothing has answered at an address, or something that has no such function. */
function isAnotherContract(fault: unknown): boolean {
  return (
    fault instanceof ContractFunctionZeroDataError || fault instanceof ContractFunctionRevertedError
  )
}

/** Asserts that an account has an amount, in smallest units. @throws CommandError if it has less */
export async function expectBalance(
  wallet: Pick<ChainWallet, 'address' | 'balance'>,
  token: Token,
  amountWei: bigint,
): Promise<void> {
  const balanceWei = await wallet.balance(token)
  if (balanceWei >= amountWei) return
  throw new CommandError(
    `${wallet.address} has ${showAmount(balanceWei, token)}, less than ${showAmount(amountWei, token)}.`,
  )
}
