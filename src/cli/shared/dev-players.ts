import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { PLAYERS, type DevAccount } from '../../api/dev/players.ts'
import { invariant } from '../../core/invariant.ts'

export type { DevAccount }

/** The mnemonic every local chain knows. Its keys are public: never send them anything of worth. */
const MNEMONIC = 'test test test test test test test test test test test junk'

export const DEV_PLAYERS = PLAYERS.length

/** None of these is a player. A local chain gives its first ten accounts ETH. */
const BOX_SIGNER_INDEX = 6
const PROTOCOL_INDEX = 7
const OWNER_INDEX = 8
const RELAYER_INDEX = 9

/** An account of that mnemonic, counted from 0. The first ones are the players. */
export function devPlayer(index: number): DevAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
  const { privateKey } = account.getHdKey()
  invariant(privateKey, 'a key derived from a mnemonic is private')
  return { address: account.address, privateKey: toHex(privateKey) }
}

export function devPlayers(): DevAccount[] {
  return [...PLAYERS]
}

/** Owns the contracts of the local chain. */
export function devOwner(): DevAccount {
  return devPlayer(OWNER_INDEX)
}

/** Signs for the service on the local chain. */
export function devRelayer(): DevAccount {
  return devPlayer(RELAYER_INDEX)
}

/** Signs what boxes open to on the local chain. */
export function devBoxSigner(): DevAccount {
  return devPlayer(BOX_SIGNER_INDEX)
}

/** Is paid for advertisements on the local chain. */
export function devProtocolWallet(): DevAccount {
  return devPlayer(PROTOCOL_INDEX)
}
