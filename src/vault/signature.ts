import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  hexToBytes,
  type Address,
  type Hash,
  type Hex,
} from 'viem'
import { recoverAddress } from '../auth/secp256k1.ts'
import { chainClient } from '../chain/client.ts'
import { withdrawalHash, type WithdrawalOrder } from '../chain/vault.ts'
import type { VaultConfig } from '../config.ts'
import { logFault } from '../log.ts'

/** Half of the curve's order: OpenZeppelin takes no s above it (EIP-2). */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const ERC_1271_MAGIC = '0x1626ba7e'

const erc1271Abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ name: 'magic', type: 'bytes4' }],
  },
] as const

/** Whether a withdrawal is signed by its player, as the vault will check it. */
export function isSignedByPlayer(
  vault: VaultConfig,
  order: WithdrawalOrder,
  signature: Hex,
): Promise<boolean | null> {
  return isSignedBy(vault, order.player, withdrawalHash(vault, order), signature)
}

/**
 * Whether an account has signed a hash: with its key, or (ERC-1271) as the contract that it is. An
 * account with code is a contract, also where it has a key (EIP-7702). While the chain cannot be
 * reached a key's signature counts, and null is what only the chain could tell. Without a chain a key
 * alone signs.
 */
export async function isSignedBy(
  { rpcUrl }: { rpcUrl: string | null },
  account: Address,
  hash: Hash,
  signature: Hex,
): Promise<boolean | null> {
  const isByKey = isSignedByKey(account, hexToBytes(hash), hexToBytes(signature))
  if (rpcUrl === null) return isByKey
  const client = chainClient(rpcUrl)
  try {
    if (!(await client.getCode({ address: account }))) return isByKey
    const magic = await client.readContract({
      address: account,
      abi: erc1271Abi,
      functionName: 'isValidSignature',
      args: [hash, signature],
    })
    return magic === ERC_1271_MAGIC
  } catch (fault) {
    if (isAnswer(fault)) return false
    logFault('a contract wallet could not be asked', fault)
    return isByKey ? true : null
  }
}

function isSignedByKey(player: string, hash: Uint8Array, signature: Uint8Array): boolean {
  const v = signature[64]
  if (signature.length !== 65 || (v !== 27 && v !== 28)) return false
  const s = signature.subarray(32, 64).reduce((value, byte) => value * 256n + BigInt(byte), 0n)
  return s <= HIGHEST_S && recoverAddress(hash, signature) === player.toLowerCase()
}

/** Whether the contract was reached and said no, in whatever way. */
function isAnswer(fault: unknown): boolean {
  return (
    fault instanceof BaseError &&
    fault.walk(
      (cause) =>
        cause instanceof ContractFunctionRevertedError ||
        cause instanceof ContractFunctionZeroDataError,
    ) !== null
  )
}
