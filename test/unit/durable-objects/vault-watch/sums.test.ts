import { describe, expect, it, vi } from 'vitest'
import { VaultWatchStore } from '../../../../durable-objects/vault-watch/store.ts'
import { LATEST_PAYOUTS, type VaultEvent } from '../../../../src/vault/events.ts'
import { Disk } from '../../../simulation/world/disk.ts'
import { Random } from '../../../simulation/world/random.ts'
import { storageOf } from '../../../simulation/world/storage.ts'

const NOW = 10 ** 9

function emptyStore() {
  const disk = new Disk('watch', new Random(1))
  const { sql } = storageOf(() => disk, null as never) as { sql: SqlStorage }
  const store = new VaultWatchStore(sql)
  for (const { migration } of [store, store.sums]) sql.exec(migration.sql)
  return { store, statements: vi.spyOn(sql, 'exec') }
}

function event(account: string, number: number, fields: Partial<VaultEvent> = {}): VaultEvent {
  return {
    txHash: `${account} ${number}`,
    position: 0,
    kind: 'deposited',
    token: 'ETH',
    nonce: null,
    block: number,
    blockHash: `0x${number}`,
    account,
    amountWei: 1n,
    ...fields,
  }
}

describe('the shares of accounts in the events of the vault', () => {
  it('are read with as many statements for thousands of accounts as for one', () => {
    const accounts = Array.from({ length: 2_000 }, (_, index) => `wallet ${index}`)
    const { store, statements } = emptyStore()
    store.put(
      accounts.map((account) => event(account, 1)),
      NOW,
    )
    statements.mockClear()
    const [one] = store.sums.ofAccounts(['wallet 0'], NOW)
    const most = statements.mock.calls.length
    const all = store.sums.ofAccounts(accounts, NOW)
    expect(statements).toHaveBeenCalledTimes(2 * most)
    expect(all[0]).toEqual(one)
    expect(all).toMatchObject(accounts.map((wallet) => ({ wallet, net: { ETH: 1n, USDG: 0n } })))
  })

  it('have of each account its latest payouts, its settled sum, and what its ledger does not know', () => {
    const { store } = emptyStore()
    const payouts = (account: string) =>
      Array.from({ length: LATEST_PAYOUTS + 2 }, (_, nonce) =>
        event(account, nonce, { kind: 'withdrawn', nonce }),
      )
    const deposits = [event('alice', 50, { amountWei: 100n }), event('bob', 60, { amountWei: 7n })]
    store.put([...payouts('alice'), ...payouts('bob'), ...deposits], 0)
    for (const { account, txHash } of deposits) {
      store.change(account, txHash)
      const report = { vaultId: '', txHash, version: 1, isOnChain: true, movements: [] }
      if (account === 'alice') store.told(account, report, true, 0)
    }
    store.sums.settle(-1, 55)
    const [alice, bob, stranger] = store.sums.ofAccounts(['alice', 'bob', 'stranger'], NOW)
    const nonces = Array.from({ length: LATEST_PAYOUTS }, (_, index) => index + 2)
    expect([alice?.net.ETH, bob?.net.ETH]).toEqual([88n, -5n])
    expect(new Set(alice?.fresh.map(({ nonce }) => nonce))).toEqual(new Set(nonces))
    expect(bob?.fresh.filter(({ kind }) => kind === 'deposited')).toMatchObject([
      { amountWei: 7n, toldAt: null, isRecent: true },
    ])
    expect(bob?.fresh).toHaveLength(LATEST_PAYOUTS + 1)
    expect(stranger).toEqual({ wallet: 'stranger', net: { ETH: 0n, USDG: 0n }, fresh: [] })
  })
})
