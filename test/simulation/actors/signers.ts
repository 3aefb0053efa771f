import { hashMessage, type Hex } from 'viem'
import { sign } from 'viem/accounts'
import { signInMessage } from '../../../src/auth/message.ts'
import { dayAt } from '../../../src/core/utc-day.ts'
import { ownersSignature } from '../chain/wallet-code.ts'
import { credentialsOf as credentialsOfKey, privateKeyOf, SITE } from '../wallets.ts'
import type { World } from '../world/world.ts'

/** Returns a wallet's signature over a hash: of its key, or of a contract's owner as the chain knows the owner now. */
export async function signedBy(world: World, wallet: string, hash: Hex): Promise<Hex> {
  const key = ownersKeyOf(world, wallet)
  if (key !== null) return ownersSignature(wallet, key, hash)
  return sign({ hash, privateKey: privateKeyOf(wallet), to: 'hex' })
}

/** Returns a wallet's credentials for the current day. */
export function credentialsOf(world: World, wallet: string): { wallet: string; authSig: string } {
  const key = ownersKeyOf(world, wallet)
  if (key === null) return credentialsOfKey(wallet, world.scheduler.now)
  return { wallet, authSig: ownersSignature(wallet, key, signInHash(world, wallet)) }
}

/** Returns the hash of a wallet's sign-in message for the current day. */
export function signInHash({ scheduler }: World, wallet: string): Hex {
  return hashMessage(signInMessage(SITE, wallet, dayAt(scheduler.now)))
}

/** Returns the number of the key that a contract's owner has; null for a wallet with a key of its own. */
function ownersKeyOf({ chain }: World, wallet: string): number | null {
  return chain?.codeOf(wallet)?.key ?? null
}
