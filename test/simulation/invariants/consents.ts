import { withdrawalHash } from '../../../src/chain/vault.ts'
import { CHAIN } from '../chain/addresses.ts'
import type { Asked } from '../chain/wallet-code.ts'
import type { World } from '../world/world.ts'
import { withdrawalsOf } from './withdrawals.ts'

/** A contract's yes to a sign-in counts for so long. */
const VERDICT_MS = 60_000
/** The most gas that a contract may take for a yes: less for a payment, because the vault gives it no more. */
const SIGN_IN_GAS = 3_000_000
const PAYMENT_GAS = 400_000
const VAULT = { chainId: CHAIN.chainId, address: CHAIN.vault, usdg: CHAIN.usdg }

/** A contract's wallet is signed in by what the contract has accepted lately, on a branch that some node had. */
export function checkSignedIn(world: World, sentAt: number, asked: Asked): void {
  const { chain } = world
  if (!chain?.isContract(asked.wallet)) return
  if (!chain.consents.has(asked, sentAt - VERDICT_MS, SIGN_IN_GAS))
    world.violate(
      `${asked.wallet} is signed in with what its contract has not accepted for a minute`,
    )
}

/** Each withdrawal of a contract has a signature that the contract has accepted, on a branch that some node had. */
export function checkConsents(world: World): void {
  const { chain } = world
  for (const { name: wallet } of world.objects.of('Ledger')) {
    if (!chain?.isContract(wallet)) continue
    for (const withdrawal of withdrawalsOf(world, wallet)) {
      const { nonce, signature } = withdrawal
      const asked = { wallet, hash: withdrawalHash(VAULT, withdrawal), signature }
      if (!chain.consents.has(asked, 0, PAYMENT_GAS))
        world.violate(`withdrawal ${nonce} of ${wallet} is not what its contract has accepted`)
    }
  }
}
