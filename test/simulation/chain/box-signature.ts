import { secp256k1 } from '@noble/curves/secp256k1'
import { hashTypedData, hexToBytes, isHex, size, toHex, type Address, type Hex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/**
 * Returns who has signed an opening (EIP-712), by the rules of OpenZeppelin's ECDSA: 65 bytes, `v` of 27 or 28, and
 * no high `s`. Null if nobody has.
 */
export function signerOf(
  { chainId, contract }: { chainId: number; contract: Address },
  args: readonly [boxId: bigint, tier: bigint, prize: bigint, nonce: Hex, signature: Hex],
): Address | null {
  const [boxId, tier, prize, nonce, signature] = args
  if (!isHex(signature) || size(signature) !== 65) return null
  const bytes = hexToBytes(signature)
  const v = bytes[64]
  if (v !== 27 && v !== 28) return null
  const digest = hashTypedData({
    domain: {
      name: 'FairhouseBox',
      version: '1',
      chainId,
      verifyingContract: contract,
    },
    types: {
      Open: [
        { name: 'boxId', type: 'uint256' },
        { name: 'tier', type: 'uint256' },
        { name: 'prize', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'Open',
    message: { boxId, tier, prize, nonce },
  })
  try {
    const found = secp256k1.Signature.fromCompact(bytes.slice(0, 64)).addRecoveryBit(v - 27)
    if (found.hasHighS()) return null
    const publicKey = found.recoverPublicKey(hexToBytes(digest))
    return publicKeyToAddress(toHex(publicKey.toRawBytes(false)))
  } catch {
    return null
  }
}
