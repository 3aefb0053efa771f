import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { PLAYERS } from '../../src/api/dev/players.ts'
import { signInMessage } from '../../src/auth/message.ts'
import { dayAt } from '../../src/core/utc-day.ts'

export const SITE = { domain: 'localhost:8787', origin: 'http://localhost:8787', chainId: 31_337 }

const signatures = new Map<string, string>()

/** The wallets of the players, in EIP-55 form. */
export const WALLETS: readonly string[] = PLAYERS.map(({ address }) => address)

/** Signs all wallets in for some days. Signing is slow, and the same for every history. */
export async function prepareSignatures(days: readonly number[]): Promise<void> {
  for (const { address, privateKey } of PLAYERS) {
    const account = privateKeyToAccount(privateKey)
    for (const day of days) {
      const message = signInMessage(SITE, address, day)
      signatures.set(`${address} ${day}`, await account.signMessage({ message }))
    }
  }
}

export function privateKeyOf(wallet: string): Hex {
  const player = PLAYERS.find(({ address }) => address === wallet)
  if (!player) throw new Error(`${wallet} is no player`)
  return player.privateKey
}

/** Returns a wallet's credentials for the day of a time, in unix milliseconds. */
export function credentialsOf(wallet: string, now: number): { wallet: string; authSig: string } {
  const authSig = signatures.get(`${wallet} ${dayAt(now)}`)
  if (authSig === undefined) throw new Error(`${wallet} has not signed in for this day`)
  return { wallet, authSig }
}
