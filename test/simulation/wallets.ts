import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { PLAYERS } from '../../src/api/dev/players.ts'
import { signInMessage } from '../../src/auth/message.ts'
import { dayAt } from '../../src/core/utc-day.ts'

export const SITE = { domain: 'localhost:8787', origin: 'http://localhost:8787', chainId: 31_337 }

const STRANGERS_KEY: Hex = `0x${'5e'.repeat(32)}`

/** A wallet that never has any chips. Anyone can make as many as they like. */
export const STRANGER = privateKeyToAccount(STRANGERS_KEY).address

const ACCOUNTS = [...PLAYERS, { address: STRANGER, privateKey: STRANGERS_KEY }]

const signatures = new Map<string, string>()

/** The wallets of the players, in EIP-55 form. */
export const WALLETS: readonly string[] = PLAYERS.map(({ address }) => address)

/** Signs all wallets in for some days. Signing is slow, and the same for every history. */
export async function prepareSignatures(days: readonly number[]): Promise<void> {
  for (const { address, privateKey } of ACCOUNTS) {
    const account = privateKeyToAccount(privateKey)
    for (const day of days) {
      const message = signInMessage(SITE, address, day)
      signatures.set(`${address} ${day}`, await account.signMessage({ message }))
    }
  }
}

export function privateKeyOf(wallet: string): Hex {
  const found = ACCOUNTS.find(({ address }) => address === wallet)
  if (!found) throw new Error(`${wallet} is no account of the simulation`)
  return found.privateKey
}

/** Returns a wallet's credentials for the day of a time, in unix milliseconds. */
export function credentialsOf(wallet: string, now: number): { wallet: string; authSig: string } {
  const authSig = signatures.get(`${wallet} ${dayAt(now)}`)
  if (authSig === undefined) throw new Error(`${wallet} has not signed in for this day`)
  return { wallet, authSig }
}
