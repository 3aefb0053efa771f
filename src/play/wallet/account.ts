import { rpc } from './chain.ts'

/** A signature by a key: 65 bytes in hex. */
export const KEY_SIGNATURE = /^0x[0-9a-f]{130}$/i

/** The code of an account that has no key. An account that delegates to code (EIP-7702) still signs with its key. */
const KEYLESS = /^0x(?!ef0100).+/i

/** Returns an account's code; 0x if it has none. */
export function readCode(address: string): Promise<string> {
  return rpc('eth_getCode', [address, 'latest'])
}

/** Returns whether an account is a contract, which signs and sends through others' transactions. */
export async function isContract(address: string): Promise<boolean> {
  return KEYLESS.test(await readCode(address))
}
