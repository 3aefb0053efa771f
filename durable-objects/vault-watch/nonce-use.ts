import type { Hash } from 'viem'
import { invariant } from '../../src/core/invariant.ts'
import type { NonceUse, VaultWatchStore } from './store.ts'

/** Returns how a nonce was used up; null if it was not, or if the chain may still change it. */
export function nonceUseOf(store: VaultWatchStore, player: string, nonce: number): NonceUse | null {
  const event = store.nonceUse(player, nonce)
  if (!event) return null
  const { kind, token, amountWei, block } = event
  invariant(kind === 'withdrawn' || kind === 'burned', 'a nonce is used by paying or burning')
  const settled = store.settled()?.block ?? -1
  const isSettled = block <= settled
  // A burn returns chips, so it counts only once final. A payment undone by the chain is sent again.
  if (kind === 'burned' && !isSettled) return null
  const paidWei = kind === 'withdrawn' ? amountWei : null
  const nextNonce = store.nextNonce(player, settled)
  const txHash = event.txHash as Hash
  return { kind, txHash, block, token, amountWei: paidWei, isSettled, nextNonce }
}
