import { bytesToHex, hexToBytes, type Address, type Hash, type Hex } from 'viem'
import { chainClient, type ChainNode } from '../../chain/client.ts'
import {
  isSignedByContract,
  SIGNATURE_GAS,
  VAULT_SIGNATURE_GAS,
} from '../../chain/contract-wallet.ts'
import { withdrawalHash, type WithdrawalMessage } from '../../chain/vault.ts'
import type { VaultConfig } from '../../config/config.ts'
import { logFault } from '../../log.ts'
import { recoverAddress } from '../auth/secp256k1.ts'

/** Half of the curve's order; OpenZeppelin refuses a higher s (EIP-2). */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Returns whether a withdrawal is signed by its player, by the same rules as the vault's.
 * @param chain see {@link isSignedBy}
 */
export function isSignedByPlayer(
  chain: ChainNode | null,
  vault: VaultConfig,
  message: WithdrawalMessage,
  signature: Hex,
): Promise<boolean | null> {
  const hash = withdrawalHash(vault, message)
  return isSignedBy(chain, message.player, hash, signature, VAULT_SIGNATURE_GAS)
}

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
  if (isSignedByKey(account, hexToBytes(hash), hexToBytes(signature))) return true
  if (!chain) return false
  try {
    const code = await chainClient(chain).getCode({ address: account })
    return code ? await isSignedByContract(chain, account, hash, signature, gas) : false
  } catch (fault) {
    logFault('contract_wallet_read_failed', fault)
    return null
  }
}

/**
 * Returns an account's signature with v as 27 or 28, as the vault takes it; some wallets write 0 or 1. One that isn't
 * by the account's key stays as it is: it may be a contract's, in which these bytes mean something else.
 */
export function withFullV(account: Address, hash: Hash, signature: Hex): Hex {
  const bytes = hexToBytes(signature)
  const v = bytes[64]
  if (bytes.length !== 65 || (v !== 0 && v !== 1)) return signature
  bytes[64] = 27 + v
  return isSignedByKey(account, hexToBytes(hash), bytes) ? bytesToHex(bytes) : signature
}

function isSignedByKey(player: string, hash: Uint8Array, signature: Uint8Array): boolean {
  const v = signature[64]
  if (signature.length !== 65 || (v !== 27 && v !== 28)) return false
  const s = signature.subarray(32, 64).reduce((value, byte) => value * 256n + BigInt(byte), 0n)
  return s <= HIGHEST_S && recoverAddress(hash, signature) === player.toLowerCase()
}
