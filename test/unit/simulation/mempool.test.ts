import { describe, expect, it } from 'vitest'
import type { Tx } from '../../simulation/chain/chain.ts'
import { Mempool } from '../../simulation/chain/mempool.ts'
import { Random } from '../../simulation/world/random.ts'
import type { World } from '../../simulation/world/world.ts'

const NODES = 3

/** A mempool whose nodes hear of transactions at different times, and its world. */
function unevenMempool() {
  const seeds = Array.from({ length: 100 }, (_, seed) => new Random(seed))
  const random = seeds.find((each) => each.chance('mempools differ', 0.5))
  const world = { random, scheduler: { now: 0 }, faults: { isOn: true } }
  return { world, mempool: new Mempool(world as unknown as World, NODES) }
}

const txs = Array.from({ length: 200 }, (_, index) => ({ hash: `0x${index}` }) as unknown as Tx)

describe('a transaction in mempools that differ', () => {
  it('is known at once to the node that was sent it, and to some others late or never', () => {
    const { world, mempool } = unevenMempool()
    for (const tx of txs) mempool.send(tx, 1)
    const knownTo = (node: number) => txs.filter(({ hash }) => mempool.at(node, hash)).length
    expect(knownTo(1)).toBe(txs.length)
    const early = knownTo(0)
    world.scheduler.now = 30_000
    const late = knownTo(0)
    expect(early).toBeLessThan(late)
    expect(late).toBeLessThan(txs.length)
    world.faults.isOn = false
    expect(knownTo(0)).toBe(txs.length)
  })

  it('is known to every node that is sent it again, or has seen it in a block', () => {
    const { mempool } = unevenMempool()
    for (const tx of txs) mempool.send(tx, 1)
    const unknown = txs.filter(({ hash }) => !mempool.at(0, hash))
    for (const [index, tx] of unknown.entries()) {
      if (index % 2 === 0) mempool.send(tx, 0)
      else mempool.add(tx)
    }
    expect(txs.every(({ hash }) => mempool.at(0, hash))).toBe(true)
  })
})
