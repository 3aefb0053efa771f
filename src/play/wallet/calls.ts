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
} as const

const WORD_CHARS = 64

/** Encodes a call with static arguments: addresses and 32-byte words in hex with 0x, or integers. */
export function callData(
  signature: keyof typeof SELECTORS,
  ...args: (string | bigint | number)[]
): string {
  const words = args.map((arg) =>
    (typeof arg === 'string' ? arg.slice(2).toLowerCase() : arg.toString(16)).padStart(
      WORD_CHARS,
      '0',
    ),
  )
  return SELECTORS[signature] + words.join('')
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
