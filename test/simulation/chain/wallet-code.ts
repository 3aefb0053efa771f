import { concatHex, keccak256, numberToHex, size, stringToHex, type Hex } from 'viem'
import type { Random } from '../world/random.ts'

/** What a wallet's contract does when it is called. */
export interface Act {
  does: 'right' | 'refuses' | 'reverts' | 'babbles' | 'floods'
  gas: number
}

/** A contract can tell a transaction from a node's call, for example by the gas price. */
export interface Behaviour {
  inCalls: Act
  inBlocks: Act
}

/** The code at a wallet's address. */
export interface WalletCode {
  /** The number of its owner's key. Null if the wallet has a key and delegates to code (EIP-7702): its key signs. */
  key: number | null
  /** When it is asked about a signature (ERC-1271). */
  signing: Behaviour
  /** When it is sent ETH. */
  receiving: Behaviour
}

/** The share of players' wallets with a key that delegate to code, and of those that are contracts. */
const DELEGATING = 0.15
const CONTRACTS = 0.15
const CONTRACTS_OF_THEME = 0.7

const SIGNS: Act = { does: 'right', gas: 30_000 }
const TAKES: Act = { does: 'right', gas: 3_000 }
/** More than any call is given. */
const ENDLESS = 100_000_000

/** On both sides of the vault's limits, and of the limit on a sign-in. */
const SIGNING: readonly Act[] = [
  { does: 'right', gas: 350_000 },
  { does: 'right', gas: 400_000 },
  { does: 'right', gas: 410_000 },
  { does: 'right', gas: ENDLESS },
  { does: 'refuses', gas: 5_000 },
  { does: 'refuses', gas: 399_000 },
  { does: 'reverts', gas: 5_000 },
  { does: 'babbles', gas: 5_000 },
  { does: 'floods', gas: 300_000 },
]
const RECEIVING: readonly Act[] = [
  { does: 'right', gas: 50_000 },
  { does: 'right', gas: 60_000 },
  { does: 'right', gas: 65_000 },
  { does: 'right', gas: ENDLESS },
  { does: 'reverts', gas: 3_000 },
  { does: 'reverts', gas: 59_000 },
]

const always = (act: Act): Behaviour => ({ inCalls: act, inBlocks: act })

/** Returns code that does what it should. @param key see {@link WalletCode} */
export function soundCode(key: number | null): WalletCode {
  return { key, signing: always(SIGNS), receiving: always(TAKES) }
}

/** Returns whether code does what it should. */
export function isSound({ signing, receiving }: WalletCode): boolean {
  const acts = [signing.inCalls, signing.inBlocks, receiving.inCalls, receiving.inBlocks]
  return acts.every((act) => act === SIGNS || act === TAKES)
}

/** Draws which wallets have code, all sound at first. @param manyContracts whether the history is about contracts */
export function drawCodes(
  random: Random,
  wallets: readonly string[],
  manyContracts: boolean,
): ReadonlyMap<string, WalletCode> {
  const codes = new Map<string, WalletCode>()
  for (const wallet of wallets) {
    const share = manyContracts ? CONTRACTS_OF_THEME : CONTRACTS
    if (random.chance(`${wallet} is a contract`, share)) codes.set(wallet, soundCode(0))
    else if (random.chance(`${wallet} delegates`, DELEGATING)) codes.set(wallet, soundCode(null))
  }
  return codes
}

/** Draws how code changes: its owner's key, how it checks signatures, and how it takes ETH. */
export function drawChange(random: Random, name: string, { key }: WalletCode): WalletCode {
  const isReplaced = key !== null && random.chance(`${name} replaces the key`, 0.4)
  return {
    key: isReplaced ? key + 1 : key,
    signing: drawBehaviour(random, `${name} signing`, SIGNS, SIGNING),
    receiving: drawBehaviour(random, `${name} receiving`, TAKES, RECEIVING),
  }
}

/** Draws code that does what it should when a node is asked, but perhaps lets payments fail in blocks. */
export function drawWaste(random: Random, name: string, { key }: WalletCode): WalletCode {
  if (random.chance(`${name} is sound`, 0.3)) return soundCode(key)
  const inBlocks = random.pick(`${name} wastes`, RECEIVING.slice(2))
  return { key, signing: always(SIGNS), receiving: { inCalls: TAKES, inBlocks } }
}

function drawBehaviour(
  random: Random,
  name: string,
  sound: Act,
  others: readonly Act[],
): Behaviour {
  const draw = (place: string) =>
    random.chance(`${name} is sound ${place}`, 0.6)
      ? sound
      : random.pick(`${name} ${place}`, others)
  const inCalls = draw('in calls')
  const isFickle = random.chance(`${name} is fickle`, 0.3)
  return { inCalls, inBlocks: isFickle ? draw('in blocks') : inCalls }
}

/**
 * Returns the signature of a contract's owner. Some are as long as a key's. Only the contract can tell whether one is
 * right, so it stands for real ones.
 */
export function ownersSignature(wallet: string, key: number, hash: Hex): Hex {
  const half = keccak256(concatHex([stringToHex(`${wallet} ${key}`), hash]))
  const rest = key % 2 === 0 ? '0x1b' : numberToHex(key, { size: 64 })
  return concatHex([half, keccak256(half), rest])
}

/** A question to a wallet's contract. */
export interface Asked {
  wallet: string
  hash: Hex
  signature: Hex
}

/** Returns whether a wallet's code accepts a signature within a gas limit. */
export function accepts(
  { key, signing }: WalletCode,
  where: keyof Behaviour,
  { wallet, hash, signature }: Asked,
  gas: number,
): boolean {
  const act = signing[where]
  if (key === null || act.does !== 'right' || act.gas > gas) return false
  return signature === ownersSignature(wallet, key, hash)
}

/** What ERC-1271 answers for yes, in the first four bytes of a word. */
const ERC_1271_MAGIC = '0x1626ba7e'
export const ERC_1271_YES: Hex = `${ERC_1271_MAGIC}${'0'.repeat(56)}`
/** Longer than any answer that the service reads. */
const FLOOD_BYTES = 70_000

/**
 * Returns what a node answers for a contract that is asked about a signature; null if it reverts.
 * @param gas for the contract's own code
 * @throws if it takes more
 */
export function answerOf(code: WalletCode, asked: Asked, gas: number): Hex | null {
  const { does, gas: taken } = code.signing.inCalls
  if (taken > gas) throw new Error('out of gas')
  if (code.key === null || does === 'reverts') return null
  if (does === 'babbles') return `${ERC_1271_MAGIC}${'1'.repeat(56)}`
  if (does === 'floods') return `0x${'f'.repeat(2 * FLOOD_BYTES)}`
  return accepts(code, 'inCalls', asked, gas) ? ERC_1271_YES : `0x${'f'.repeat(8)}${'0'.repeat(56)}`
}

/** Returns the gas of a call before its code runs. */
export function callGas(data: Hex): number {
  return 21_000 + 16 * size(data)
}
