import { keccak256, toHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { signInMessage, type Site } from '../../src/auth/message.ts'
import { dayAt } from '../../src/core/utc-day.ts'

export interface Player {
  wallet: string
  authSig: Hex
}

/** Returns signed-in players, the same in every run because their keys derive from their numbers. */
export async function makePlayers(count: number, site: Site): Promise<Player[]> {
  const window = dayAt(Date.now())
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const account = privateKeyToAccount(keccak256(toHex(`fairhouse bench player ${number}`)))
      const wallet = account.address
      const authSig = await account.signMessage({ message: signInMessage(site, wallet, window) })
      return { wallet, authSig }
    }),
  )
}
