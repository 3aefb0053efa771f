import { bytesToHex, hexToBytes, type Address, type Hash, type Hex } from 'viem'
import type { ChainNode } from '../../chain/client.ts'
import { isDeployed, isSignedByContract, SIGNATURE_GAS } from '../../chain/contract-wallet.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'
import type { ApiCall } from '../http/call.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { recoverAddress } from './secp256k1.ts'

/** Half of the curve's order; OpenZeppelin refuses a higher s (EIP-2). */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Returns whether an account has signed a hash, with its key or, for an account with code, by ERC-1271. The key of
 * an account that delegates to code (EIP-7702) counts like any other. Asks the chain only without a key's signature.
 * @param chain null if none is configured: then only keys can sign
 * @param gas the contract's gas limit
 * @returns null if only the chain can tell and it can't be reached
 */
export async function isSignedBy(
  chain: ChainNode | null,
  account: Address,
  hash: Hash,
  signature: Hex,
  gas = SIGNATURE_GAS,
): Promise<boolean | null> {
  if (isSignedByKey(account, hash, signature)) return true
  if (!chain) return false
  try {
    const isContract = await isDeployed(chain, account)
    return isContract && (await isSignedByContract(chain, account, hash, signature, gas))
  } catch (fault) {
    logFault('contract_wallet_read_failed', fault)
    return null
  }
}

/** Returns whether an account's own key has signed a hash, by the rules of the vault. */
export function isSignedByKey(account: Address, hash: Hash, signature: Hex): boolean {
  return isKeysSignature(account, hash, hexToBytes(signature))
}

/**
 * Returns an account's signature with v as 27 or 28, as the vault takes it; some wallets write 0 or 1. One that isn't
 * by the account's key stays as it is: it may be a contract's, whose bytes mean something else.
 */
export function withFullV(account: Address, hash: Hash, signature: Hex): Hex {
  const bytes = hexToBytes(signature)
  const v = bytes[64]
  if (bytes.length !== 65 || (v !== 0 && v !== 1)) return signature
  bytes[64] = 27 + v
  return isKeysSignature(account, hash, bytes) ? bytesToHex(bytes) : signature
}

/**
 * Has a ledger carry out a request that an account has signed. If only a contract can tell whether it has, the ledger
 * may be asked twice: most refusals and all repetitions need no contract's verdict, which would make the node work.
 * @param isSigned whether the account has signed it; null if only a contract can tell
 * @param ask asks the ledger; with null, the ledger answers `chain_unavailable` if only the verdict is missing
 * @param askContract returns the verdict, null if the chain can't be reached, or a refusal instead of asking the ledger
 */
export async function askSigned<T extends object>(
  { env, request }: Pick<ApiCall, 'env' | 'request'>,
  isSigned: boolean | null,
  ask: (isSigned: boolean | null) => Promise<T | Refusal>,
  askContract: () => Promise<boolean | null | Refusal>,
): Promise<T | Refusal> {
  const answer = await ask(isSigned)
  const needsVerdict = isRefusal(answer) && answer.error.code === 'chain_unavailable'
  if (isSigned !== null || !needsVerdict) return answer
  const tooMany = await limitNetwork(env, request, 'contracts')
  if (tooMany) return tooMany
  const verdict = await askContract()
  return typeof verdict === 'object' && verdict ? verdict : ask(verdict)
}

function isKeysSignature(account: Address, hash: Hash, signature: Uint8Array): boolean {
  const v = signature[64]
  if (signature.length !== 65 || (v !== 27 && v !== 28)) return false
  const s = signature.subarray(32, 64).reduce((value, byte) => value * 256n + BigInt(byte), 0n)
  return s <= HIGHEST_S && recoverAddress(hexToBytes(hash), signature) === account.toLowerCase()
}
