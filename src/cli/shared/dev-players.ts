import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { OPERATORS, PLAYERS, type DevAccount } from '../../api/dev/players.ts'
import { invariant } from '../../core/invariant.ts'
import type { Role } from '../../operator/roles.ts'

export type { DevAccount }

/** The default mnemonic of local chains. Its keys are public, so never send them anything of value. */
const MNEMONIC = 'test test test test test test test test test test test junk'

export const DEV_PLAYERS = PLAYERS.length

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

// Accounts that aren't players. A local chain gives its first ten accounts ETH.

/** Returns the account that signs box openings on the local chain. */
export const devBoxSigner = () => devPlayer(6)
/** Returns the recipient of ad payments on the local chain. */
export const devProtocolWallet = () => devPlayer(7)
/** Returns the owner of the contracts on the local chain. */
export const devOwner = () => devPlayer(8)
/** Returns the service's signing account on the local chain. */
export const devRelayer = () => devPlayer(9)
/** Returns the operator of a role in local play. */
export function devOperator(role: Role): DevAccount {
  const known = OPERATORS.find((operator) => operator.role === role)
  invariant(known, `local play has an operator with the role ${role}`)
  return known
}
