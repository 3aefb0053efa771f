import {
  decodeAbiParameters,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  parseAbi,
  type Hex,
} from 'viem'
import { decodeCall } from './decoded.ts'
import type { ChainState } from './vault-state.ts'
import { answerOf, callGas, ERC_1271_YES, type Asked } from './wallet-code.ts'

const erc1271Abi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4 magic)',
])
const [{ inputs: VALIDATOR_INPUTS }] = erc6492SignatureValidatorAbi
/** What the validator takes itself, with its deployment. */
const VALIDATOR_GAS = 150_000

/** A node's answer about a signature, and whether the contract has accepted it. */
export interface Verdict {
  asked: Asked
  /** The gas that the contract was given. */
  gas: number
  answer: Hex | null
  isAccepted: boolean
}

/**
 * Asks a wallet's contract about a signature (ERC-1271). Returns null if the address has no code. @throws as it halts
 */
export function askContract(
  state: ChainState,
  { to, data, gas }: { to: string; data: Hex; gas: Hex },
): Verdict | null {
  const code = state.codes.get(to)
  if (!code) return null
  const { args } = decodeCall(erc1271Abi, data)
  const asked = { wallet: to, hash: args[0], signature: args[1] }
  const given = Number(gas) - callGas(data)
  const answer = answerOf(code, asked, given)
  return { asked, gas: given, answer, isAccepted: isMagic(answer) }
}

/** Runs viem's validator of signatures, which asks a deployed contract. @throws as the contract halts */
export function askValidator(
  state: ChainState,
  { data, gas }: { data: Hex; gas: Hex },
): Verdict | null {
  if (!data.startsWith(erc6492SignatureValidatorByteCode)) return null
  const encoded = `0x${data.slice(erc6492SignatureValidatorByteCode.length)}` as const
  const [wallet, hash, signature] = decodeAbiParameters(VALIDATOR_INPUTS, encoded)
  const asked = { wallet, hash, signature }
  const code = state.codes.get(wallet)
  const given = Number(gas) - callGas(data) - VALIDATOR_GAS
  const answer = code ? answerOf(code, asked, given) : null
  const isAccepted = isMagic(answer)
  // It reads the first word, and reverts if the bytes after the first four aren't zero.
  const isClean = answer?.slice(10, 66) === '0'.repeat(56)
  return { asked, gas: given, answer: isClean ? `0x0${isAccepted ? 1 : 0}` : null, isAccepted }
}

/** Returns whether an answer's first word is exactly the one that stands for yes. */
function isMagic(answer: Hex | null): boolean {
  return answer?.slice(0, 66) === ERC_1271_YES
}
