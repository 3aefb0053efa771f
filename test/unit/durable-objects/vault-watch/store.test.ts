import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VaultWatchStore } from '../../../../durable-objects/vault-watch/store.ts'
import { transactionOf } from '../../../../durable-objects/vault-watch/transaction.ts'
import { compareCredited, type CreditedMovement } from '../../../../src/ledger/deposit.ts'
import { netOf, noTotals, type VaultEvent } from '../../../../src/vault/events.ts'
import { Disk } from '../../../simulation/world/disk.ts'
import { Random } from '../../../simulation/world/random.ts'
import { storageOf } from '../../../simulation/world/storage.ts'

const TX = `0x${'ab'.repeat(32)}`
const WALLETS = ['alice', 'bob'] as const

/** What a transaction deposits, in order: in a block, or in none. */
type Reading = { block: number; deposits: { account: string; amountWei: bigint }[] } | null

const readings = fc.array(
  fc.option(
    fc.record({
      block: fc.integer({ min: 1, max: 3 }),
      deposits: fc.array(
        fc.record({ account: fc.constantFrom(...WALLETS), amountWei: fc.bigInt(3n, 5n) }),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    }),
  ),
  { minLength: 1, maxLength: 6 },
)

function emptyStore(): VaultWatchStore {
  const disk = new Disk('watch', new Random(1))
  const { sql } = storageOf(() => disk, null as never) as { sql: SqlStorage }
  const store = new VaultWatchStore(sql)
  for (const { migration } of [store, store.sums]) sql.exec(migration.sql)
  return store
}

function logsOf(reading: Reading): VaultEvent[] {
  return (reading?.deposits ?? []).map(({ account, amountWei }, position) => ({
    txHash: TX,
    position,
    kind: 'deposited',
    token: 'ETH',
    nonce: null,
    block: reading?.block ?? 0,
    blockHash: `0x${reading?.block}`,
    account,
    amountWei,
  }))
}

/** Has a store follow what the chain now has of the transaction. Returns the wallets whose ledgers must be told. */
function follow(store: VaultWatchStore, logs: VaultEvent[]): Set<string> {
  const places = new Set(logs.map(({ position }) => position))
  const vanished = [...store.between(0, 9)].filter(({ position }) => !places.has(position))
  for (const log of vanished) store.miss(log)
  return new Set([...vanished, ...store.put(logs, 1)].map(({ account }) => account))
}

it('knows which wallets lack a credited deposit, whatever a transaction does each time that it is mined again', () => {
  fc.assert(
    fc.property(readings, (all) => {
      const store = emptyStore()
      const credited = new Map<string, CreditedMovement[]>()
      for (const reading of all) {
        const logs = logsOf(reading)
        for (const account of follow(store, logs)) {
          store.change(account, TX)
          const { transaction } = transactionOf(store, 'vault', { account, txHash: TX })
          const found = compareCredited(credited.get(account) ?? [], transaction.movements)
          credited.set(account, found.credited)
        }
        const lacking = WALLETS.filter((account) =>
          credited.get(account)?.some(({ state }) => state === 'missing'),
        )
        const missing = store.missing(null).map(({ account }) => account)
        expect(missing.toSorted()).toEqual(lacking)
        for (const account of WALLETS) {
          const there = logs.filter((log) => log.account === account)
          const intact = (credited.get(account) ?? []).filter(({ state }) => state === undefined)
          const amounts = (of: { amountWei: bigint }[]) =>
            of.map((each) => Number(each.amountWei)).toSorted((a, b) => a - b)
          expect(amounts(intact)).toEqual(amounts(there))
        }
        const settled = { block: 0, totals: noTotals() }
        const total = logs.reduce((sum, { amountWei }) => sum + amountWei, 0n)
        expect(netOf(store.sums.totals(settled)).ETH).toBe(total)
      }
    }),
    { numRuns: 500 },
  )
})

describe('of a deposit that the chain has dropped, a restored ledger', () => {
  const named = { account: 'alice', txHash: TX }
  type Step = 'mined' | 'dropped' | 'credited' | 'ignored'

  function change(store: VaultWatchStore, step: 'mined' | 'dropped'): void {
    const deposits = [{ account: 'alice', amountWei: 5n }]
    follow(store, logsOf(step === 'mined' ? { block: 1, deposits } : null))
    store.change('alice', TX)
  }

  /** Returns the number of dropped movements that a restored ledger hears of after some steps. */
  function droppedAfter(...steps: Step[]): number {
    const store = emptyStore()
    const read = () => transactionOf(store, 'vault', named)
    for (const step of steps) {
      if (step === 'mined' || step === 'dropped') change(store, step)
      else store.told('alice', read().transaction, step === 'credited', 1)
    }
    return read().dropped.length
  }

  it('hears if its ledger had credited it, even if that answer was lost', () => {
    expect(droppedAfter('mined', 'credited', 'dropped')).toBe(1)
    expect(droppedAfter('mined', 'credited', 'dropped', 'credited')).toBe(1)
    expect(droppedAfter('mined', 'dropped', 'credited')).toBe(1)
    expect(droppedAfter('mined', 'dropped', 'ignored', 'mined', 'credited', 'dropped')).toBe(1)
  })

  it('hears although it has forgotten that it had credited it', () => {
    expect(droppedAfter('mined', 'credited', 'dropped', 'ignored')).toBe(1)
  })

  it('hears nothing if its ledger has credited none of it', () => {
    expect(droppedAfter('mined', 'dropped')).toBe(0)
    expect(droppedAfter('mined', 'dropped', 'ignored')).toBe(0)
    expect(droppedAfter('mined', 'dropped', 'ignored', 'mined', 'dropped', 'ignored')).toBe(0)
  })
})
