import { getContractAddress, toHex, type Hex } from 'viem'
import { mnemonicToAccount, type HDAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Anvil's well-known accounts. Players are the first ones. */
export function account(addressIndex: number): HDAccount {
  return mnemonicToAccount(MNEMONIC, { addressIndex })
}

export const OWNER = account(8)
export const RELAYER = account(9)

export function privateKeyOf({ getHdKey }: HDAccount): Hex {
  return toHex(getHdKey().privateKey ?? new Uint8Array())
}

/** The owner's first two transactions on a fresh chain deploy these. */
export const USDG_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 0n })
export const VAULT_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 1n })
