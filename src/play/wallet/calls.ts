/** Function selectors, by signature. */
export const SELECTORS = {
  'deposit(address,uint256)': '0x47e7ef24',
  'depositWithPermit(address,uint256,uint256,uint8,bytes32,bytes32)': '0x12a62cff',
  'approve(address,uint256)': '0x095ea7b3',
  'allowance(address,address)': '0xdd62ed3e',
  'balanceOf(address)': '0x70a08231',
  'nonces(address)': '0x7ecebe00',
  'eip712Domain()': '0x84b0196e',
  'currentBatch()': '0x76cd940e',
  'buy(uint256)': '0xd96a094a',
  'open(uint256,uint256,uint256,bytes32,bytes)': '0xd97190d8',
  'openPublished(uint256)': '0xd2ef9a26',
  'claim(uint256,bytes32)': '0x31d14457',
} as const

/** The first topic of the vault's `Deposited(address,address,uint256)`. */
export const DEPOSITED_TOPIC = '0x8752a472e571a816aea92eec8dae9baf628e840f4929fbcc2d155e6233ff68a7'

const WORD_CHARS = 64

/** Encodes a call with static arguments: addresses and 32-byte words in hex with 0x, or integers. */
export function callData(
  signature: keyof typeof SELECTORS,
  ...args: (string | bigint | number)[]
): string {
  return SELECTORS[signature] + args.map(encoded).join('')
}

/** Encodes an indexed address as a topic of a log. */
export function topicOf(address: string): string {
  return `0x${encoded(address)}`
}

function encoded(value: string | bigint | number): string {
  const digits = typeof value === 'string' ? value.slice(2).toLowerCase() : value.toString(16)
  return digits.padStart(WORD_CHARS, '0')
}

/** Returns one 32-byte word of an answer, counted from 0. */
export function wordAt(answer: string, index: number): bigint {
  const word = answer.slice(2 + index * WORD_CHARS, 2 + (index + 1) * WORD_CHARS)
  return word === '' ? 0n : BigInt(`0x${word}`)
}

/** Returns the text that a word of an answer points to. */
export function textAt(answer: string, index: number): string {
  const start = Number(wordAt(answer, index)) * 2 + 2
  const bytes = Number(wordAt(`0x${answer.slice(start)}`, 0))
  const hex = answer.slice(start + WORD_CHARS, start + WORD_CHARS + bytes * 2)
  const codes = hex.match(/../g) ?? []
  return new TextDecoder().decode(Uint8Array.from(codes, (code) => parseInt(code, 16)))
}
