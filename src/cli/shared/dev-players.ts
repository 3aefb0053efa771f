import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { PLAYERS, type DevAccount } from '../../api/dev/players.ts'
import { invariant } from '../../core/invariant.ts'

export type { DevAccount }

/** The default mnemonic of local chains. Its keys are public, so never send them anything of value. */
const MNEMONIC = 'test test test test test test test test test test test junk'

export const DEV_PLAYERS = PLAYERS.length

/** Accounts that aren't players. A local chain gives its first ten accounts ETH. */
const BOX_SIGNER_INDEX = 6
const PROTOCOL_INDEX = 7
const OWNER_INDEX = 8
const RELAYER_INDEX = 9

/** Returns an account of the mnemonic, counted from 0. The first ones are the players. */
export function devPlayer(index: number): DevAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
  const { privateKey } = account.getHdKey()
  invariant(privateKey, 'a key derived from a mnemonic is private')
  return { address: account.address, privateKey: toHex(privateKey) }
}

export function devPlayers(): DevAccount[] {
  return [...PLAYERS]
}

/** Returns the owner of the contracts on the local chain. */
export function devOwner(): DevAccount {
  return devPlayer(OWNER_INDEX)
}

/** Returns the service's signing account on the local chain. */
export function devRelayer(): DevAccount {
  return devPlayer(RELAYER_INDEX)
}

/** Returns the account that signs box openings on the local chain. */
export function devBoxSigner(): DevAccount {
  return devPlayer(BOX_SIGNER_INDEX)
}

/** Returns the recipient of ad payments on the local chain. */
export function devProtocolWallet(): DevAccount {
  return devPlayer(PROTOCOL_INDEX)
}
