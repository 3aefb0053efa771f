import { toHex, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { invariant } from '../invariant.ts'

/** The mnemonic every local chain knows. Its keys are public: never send them anything of worth. */
const MNEMONIC = 'test test test test test test test test test test test junk'

export const DEV_PLAYERS = 5

export interface DevPlayer {
  /** In EIP-55 form. */
  address: string
  privateKey: Hex
}

/** A well-known development player, counted from 0. */
export function devPlayer(index: number): DevPlayer {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
  const { privateKey } = account.getHdKey()
  invariant(privateKey, 'a key derived from a mnemonic is private')
  return { address: account.address, privateKey: toHex(privateKey) }
}

export function devPlayers(): DevPlayer[] {
  return Array.from({ length: DEV_PLAYERS }, (_, index) => devPlayer(index))
}
