import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { CHAIN } from '../../simulation/chain/addresses.ts'
import { depthOf } from '../../simulation/chain/depths.ts'

const PLAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const payment = encodeFunctionData({
  abi: vaultAbi,
  functionName: 'withdraw',
  args: [PLAYER, CHAIN.usdg as never, 5n, 2n, '0x'],
})
const burnOf = (nonce: bigint) =>
  encodeFunctionData({ abi: vaultAbi, functionName: 'burnNonce', args: [PLAYER, nonce] })

/** Returns blocks with the calls of the relayer in each; null for a block without one. */
const chainOf = (...calls: readonly (string | null)[]) =>
  calls.map((data, number) => ({
    number,
    mined: data === null ? [] : [{ tx: { call: { kind: 'relayed', to: CHAIN.vault, data } } }],
  }))

/**
 * Returns how many blocks a history of the theme drops whose every chance comes true; a negative number if up to so
 * many.
 */
function depthIn(blocks: ReturnType<typeof chainOf>, settled = 0): number {
  const random = { chance: () => true, between: (_: string, __: number, most: number) => -most }
  const world = { random, faults: { theme: { isOfRevivals: true } } }
  return depthOf(world as never, 'block #1', blocks as never, settled)
}

describe('a reorganisation of the theme of burns', () => {
  it('drops a confirmed burn together with the payment that has failed before it', () => {
    expect(depthIn(chainOf(null, payment, null, burnOf(2n), null, null))).toBe(5)
  })

  it('drops any number of blocks while no burn is confirmed, is of a payment, or can be replaced', () => {
    expect(depthIn(chainOf(null, payment, null, burnOf(2n), null))).toBe(-5)
    expect(depthIn(chainOf(null, payment, null, burnOf(3n), null, null))).toBe(-6)
    expect(depthIn(chainOf(null, payment, null, burnOf(2n), null, null), 2)).toBe(-6)
  })
})
