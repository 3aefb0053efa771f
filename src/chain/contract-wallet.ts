import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hexToBigInt,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
  size,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem'
import { chainClient, isRevert, isTooLong, type ChainNode } from './client.ts'

/** Enough gas to deploy a wallet and check a passkey's signature. */
export const SIGNATURE_GAS = 3_000_000n

/** The gas that the vault gives a wallet to check a signature. */
export const VAULT_SIGNATURE_GAS = 400_000n

/** The gas for a call before it runs: the base cost, and the most per byte of calldata. */
const CALL_GAS = 21_000n
const BYTE_GAS = 16n

/** The limit on an answer. A verdict is one word; a longer answer only wastes memory. */
const MAX_ANSWER_BYTES = 65_536

const WORD_BYTES = 32

const ERC_1271_MAGIC = '0x1626ba7e'

const erc1271Abi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4 magic)',
])

/**
 * Returns whether a contract wallet accepts a signature, by ERC-1271 or, before its deployment, by
 * ERC-6492. Makes at most two calls to the node, with bounded gas.
 * @throws if the node doesn't answer
 */
export async function isSignedByWallet(
  node: ChainNode,
  wallet: Address,
  hash: Hex,
  signature: Hex,
): Promise<boolean> {
  // The validator recovers this address from a signature of nobody.
  if (wallet === zeroAddress) return false
  if (size(signature) < WORD_BYTES) {
    // The validator reverts for these, such as the empty one for a message that a Safe has approved on chain.
    return isSignedByContract(node, wallet, hash, signature, SIGNATURE_GAS)
  }
  if (isErc6492Signature(signature) && (await isDeployed(node, wallet))) {
    // The validator would run the caller's code first, which could make the wallet accept: by buying the NFT that owns
    // it, say.
    const inner = innerSignature(signature)
    return inner !== null && isSignedByContract(node, wallet, hash, inner, SIGNATURE_GAS)
  }
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [wallet, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  return saysYes(node, { data, gas: SIGNATURE_GAS }, (answer) => hexToBigInt(answer) === 1n)
}

/**
 * Returns whether a deployed wallet accepts a signature (ERC-1271), when asked the way a contract asks.
 * Makes one call to the node.
 * @param walletGas the gas limit of the wallet's own code
 * @throws if the node doesn't answer
 */
export function isSignedByContract(
  node: ChainNode,
  wallet: Address,
  hash: Hex,
  signature: Hex,
  walletGas: bigint,
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: erc1271Abi,
    functionName: 'isValidSignature',
    args: [hash, signature],
  })
  const gas = walletGas + CALL_GAS + BYTE_GAS * BigInt(size(data))
  // Compare a whole word, as the vault does.
  const yes = ERC_1271_MAGIC.padEnd(66, '0')
  return saysYes(node, { to: wallet, data, gas }, (answer) => answer.slice(0, 66) === yes)
}

/** Returns the signature that an ERC-6492 signature wraps; null if it is malformed. */
function innerSignature(wrapped: Hex): Hex | null {
  try {
    return parseErc6492Signature(wrapped).signature
  } catch {
    return null
  }
}

/** Returns whether there is code at a wallet's address. @throws if the node doesn't answer */
export async function isDeployed(node: ChainNode, wallet: Address): Promise<boolean> {
  const code = await chainClient(node).getCode({ address: wallet })
  return code !== undefined && code !== '0x'
}

async function saysYes(
  node: ChainNode,
  call: { to?: Address; data: Hex; gas: bigint },
  isYes: (answer: Hex) => boolean,
): Promise<boolean> {
  try {
    const { data } = await chainClient(node, MAX_ANSWER_BYTES).call(call)
    return data !== undefined && isYes(data)
  } catch (fault) {
    if (isRevert(fault) || isTooLong(fault)) return false
    throw fault
  }
}
