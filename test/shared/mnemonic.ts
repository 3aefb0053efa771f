import { hdKeyToAccount, mnemonicToAccount, type HDAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Derived once: the 2,048 hashes from a mnemonic to its root key take longer than most tests. */
const ROOT = mnemonicToAccount(MNEMONIC, { path: 'm' as never }).getHdKey()

/** Returns one of Anvil's well-known accounts. Players are the first ones. */
export function account(addressIndex: number): HDAccount {
  return hdKeyToAccount(ROOT, { addressIndex })
}
