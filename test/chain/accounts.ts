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

/** Signs what boxes open to. */
export const BOX_SIGNER = account(6)

/** The pepper of the first batch of boxes. */
export const BOX_PEPPER = 'b0'.repeat(32)

/** The owner's next three, where a story has boxes. */
export const REWARD_TOKEN_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 2n })
export const BOX_NFT_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 3n })
export const AWARD_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 4n })
