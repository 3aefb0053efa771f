import { getAddress, toHex } from 'viem'

/** Returns the EIP-55 form of a wallet that nobody has, by its number from 0. */
export function walletAt(number: number): string {
  return getAddress(toHex(number + 1, { size: 20 }))
}
