import { randomUUID } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { getAddress, toHex, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { control, ledger, partnerIdsShard, treasury, vaultWatch } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { transactionText } from '../../src/ledger/transfer.ts'
import { sweep } from '../../src/sweep.ts'
import { shardOf } from '../../src/wallet-bridge/ids.ts'
import { VaultWatch } from '../../src/worker.ts'
import { order } from '../workers/operator.ts'
import { Platform } from '../workers/partner.ts'
import { codeOf, endRound, openRound, pass, Player, ringLedger } from '../workers/support.ts'
import { watchStorage } from '../workers/watch-storage.ts'
import { OWNER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import { dropBlocks } from './dropped.ts'
import { payOutside } from './outside.ts'
import {
  ask,
  chain,
  chipsOf,
  countCalls,
  deposit,
  depositor,
  fundHouse,
  leavesDifference,
  useChain,
  vaultConfig,
  withdraw,
  work,
  write,
} from './support.ts'

useChain()

const DEPOSIT = 1_000_000_000n

/** Does what the cron handler does for the vault, minute by minute, and the alarms of some players' ledgers. */
async function minutes(count: number, ...players: Player[]): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    pass(MINUTE_MS)
    for (const player of players) await ringLedger(player)
    await vaultWatch(env, vaultConfig().id).catchUp()
    await ledger(env, HOUSE).sendPosition()
    await treasury(env, vaultConfig().id).count()
  }
}

const reconciliation = async () => {
  const found = await treasury(env, vaultConfig().id).reconciliation()
  if (!found) throw new Error('the vault was never compared')
  return found
}

/** Where there is a drift now, and by how much. */
async function drifts(): Promise<[token: string, place: string, amountWei: bigint][]> {
  const found = (await reconciliation()).drifts
  return found.map(({ token, place, amountWei }) => [token, place, amountWei])
}

/** Has the vault pay what the books don't know of. */
async function payPastService(player: Player, amountWei: bigint, nonce: number): Promise<void> {
  await payOutside(player, amountWei, nonce)
  leavesDifference('USDG', -amountWei)
}

/** Takes dollars out of the vault past its books, as the owner of their contract could. */
async function takePastBooks(amountWei: bigint): Promise<void> {
  await ask('anvil_impersonateAccount', VAULT_ADDRESS)
  await ask('anvil_setBalance', VAULT_ADDRESS, '0xde0b6b3a7640000')
  const usdg = { address: USDG_ADDRESS, abi: tokenAbi } as const
  await write(usdg, 'transfer', [OWNER.address, amountWei], VAULT_ADDRESS)
  await ask('anvil_setBalance', VAULT_ADDRESS, '0x0')
  leavesDifference('USDG', -amountWei)
}

beforeEach(async () => {
  await fundHouse('USDG', DEPOSIT)
  await sweep(env)
  expect((await reconciliation()).books.USDG).toMatchObject({ holdings: DEPOSIT, house: DEPOSIT })
})

describe('reconciliation, each minute,', () => {
  it('finds nothing while players deposit, bet, play at partners and withdraw', async () => {
    const alice = await depositor(0)
    const bob = await depositor(1, 'USDG', 2n * DEPOSIT)
    await minutes(1)
    const early = (await reconciliation()).books.USDG
    // No position has been sent but the house's: all deposits are in flight.
    expect(early).toMatchObject({ owed: 0n, house: DEPOSIT, inFlight: 3n * DEPOSIT, drift: 0n })
    const platform = new Platform()
    for (let hour = 0; hour < 2; hour++) {
      const plan = await openRound({ min: 300, max: 600 })
      await alice.bet('2000000', { autoCashout: 2 })
      await bob.play({ nonce: hour, amountWei: '1000000' })
      await platform.transact(bob, '-3')
      await endRound(plan)
      await withdraw(alice, { amountWei: 100_000_000n, nonce: hour })
      await work(alice, 1)
      for (let minute = 0; minute < 15; minute++) {
        await minutes(1, ...(minute % 5 === 0 ? [alice, bob] : []))
        expect(await drifts()).toEqual([])
      }
      await work(alice, 3)
      await deposit(bob, 'USDG', 5_000_000n)
    }
    await minutes(12, alice, bob)
    const { books, ended } = await reconciliation()
    expect(ended).toEqual([])
    const { holdings, owed, partners, house, faucet, inFlight, drift } = books.USDG
    expect(holdings).toBe(4n * DEPOSIT + 10_000_000n - 200_000_000n)
    expect(partners).toBe(6_000_000n)
    expect(holdings).toBe(owed + partners + house + faucet)
    expect([inFlight, drift]).toEqual([0n, 0n])
  })

  it("finds a payment that the player's ledger does not know, and names the wallet", async () => {
    const alice = await depositor(0)
    await minutes(6, alice)
    await payPastService(alice, 70_000_000n, 0)
    await minutes(9, alice)
    expect(await drifts()).toEqual([])
    await minutes(4, alice)
    expect(await drifts()).toEqual([['USDG', alice.wallet, -70_000_000n]])
    await minutes(20, alice)
    expect(await drifts()).toEqual([['USDG', alice.wallet, -70_000_000n]])
  })

  it('finds a payout smaller than the withdrawal that is waiting for it', async () => {
    const alice = await depositor(0)
    expect((await withdraw(alice, { amountWei: 300_000_000n, nonce: 0 })).status).toBe(200)
    await minutes(6, alice)
    await payPastService(alice, 70_000_000n, 0)
    await minutes(1, alice)
    expect(await drifts()).toEqual([['USDG', alice.wallet, -70_000_000n]])
  })

  it('finds dollars that left the vault past its books, at once, and forgets none of it', async () => {
    await takePastBooks(5n)
    await minutes(1)
    expect(await drifts()).toEqual([['USDG', 'vault', -5n]])
    const { since } = (await reconciliation()).drifts[0]!
    await minutes(3)
    await write({ address: USDG_ADDRESS, abi: tokenAbi }, 'transfer', [VAULT_ADDRESS, 5n])
    leavesDifference('USDG', 5n)
    await minutes(1)
    const { drifts: present, ended, drifting } = await reconciliation()
    expect({ present, drifting }).toEqual({ present: [], drifting: [] })
    expect(ended).toMatchObject([{ place: 'vault', amountWei: -5n, since, until: since + 240_000 }])
  })

  it('finds a credited deposit that the chain has dropped, until it is back', async () => {
    const alice = new Player(0)
    const hash = await deposit(alice, 'ETH', 5_000n)
    expect(await chipsOf(alice, 'ETH')).toBe(5_000n)
    await minutes(6, alice)
    const raw = await ask('eth_getRawTransactionByHash', hash)
    await ask('anvil_reorg', 1, [])
    await minutes(2, alice)
    expect(await drifts()).toEqual([['ETH', alice.wallet, -5_000n]])
    await ask('eth_sendRawTransaction', raw)
    await minutes(2, alice)
    expect(await drifts()).toEqual([])
  })

  it('finds a position that does not add up', async () => {
    const alice = await depositor(0)
    await minutes(6, alice)
    await env.DB.prepare(
      `UPDATE ledger_positions SET owed_low = owed_low + 9 WHERE wallet = ? AND token = 'USDG'`,
    )
      .bind(alice.wallet)
      .run()
    await minutes(1)
    expect(await drifts()).toEqual([['USDG', 'ledgers', -9n]])
    // The ledger itself is right.
    await order('reproject', 'positions')
  })

  it('finds two opposite drifts of wallets that have been idle for long', async () => {
    const [alice, bob] = [await depositor(0), await depositor(1)]
    await minutes(6, alice, bob)
    pass(40 * MINUTE_MS)
    await minutes(2, alice, bob)
    for (const [player, more] of [
      [alice, 40],
      [bob, -40],
    ] as const) {
      await env.DB.prepare(
        `UPDATE ledger_positions SET vault_low = vault_low + ?2, owed_low = owed_low + ?2
         WHERE wallet = ?1 AND token = 'USDG'`,
      )
        .bind(player.wallet, more)
        .run()
    }
    // Asking the ledgers for their positions mends that.
    await minutes(1)
    const { ended } = await reconciliation()
    expect(await drifts()).toEqual([])
    expect(ended).toEqual([])
    expect(
      await env.DB.prepare(
        `SELECT count(*) AS wrong FROM ledger_positions WHERE token = 'USDG' AND vault_low % 100 <> 0`,
      ).first('wrong'),
    ).toBe(0)
  })
})

it('compares nothing with a block that was replaced after it was read, which would look like a drift', async () => {
  await minutes(1)
  const hash = await deposit(new Player(0), 'USDG', 70_000_000n)
  const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
  pass(MINUTE_MS)
  await vaultWatch(env, vaultConfig().id).catchUp()
  await dropBlocks(1)
  await chain.mine({ blocks: 1 })
  // By a node that still has the block.
  const look = vi.spyOn(VaultWatch.prototype, 'look').mockResolvedValueOnce(true)
  await treasury(env, vaultConfig().id).count()
  expect(await drifts()).toEqual([])
  look.mockRestore()
  await chain.sendRawTransaction({ serializedTransaction: raw })
  await minutes(1)
  expect(await drifts()).toEqual([])
})

it('each count looks for positions of partners’ players, even behind a hundred in one shard', async () => {
  const carol = new Player(2)
  const partnerTransactionId = randomUUID()
  expect((await new Platform().transact(carol, '30', { partnerTransactionId })).status).toBe(200)
  const shard = partnerIdsShard(env, 'demo', shardOf(partnerTransactionId))
  for (let n = 0; n < 100; n++) {
    const wallet = getAddress(toHex(n + 1, { size: 20 }))
    const request = transactionText({ token: 'USDG', amountWei: 1n })
    await shard.claim(null, { id: `${n}`, kind: 'transaction', wallet, token: 'USDG', request })
  }
  const listed = () =>
    env.DB.prepare('SELECT 1 FROM ledger_positions WHERE wallet = ?').bind(carol.wallet).first()
  expect(await listed()).toBeNull()
  await minutes(17)
  expect(await listed()).not.toBeNull()
})

describe('a drift that has stayed for ten minutes', () => {
  it('pauses withdrawals once, as the house’s own act, and again only if it grows', async () => {
    const alice = await depositor(0)
    await minutes(6, alice)
    await takePastBooks(5n)
    await minutes(10, alice)
    expect((await withdraw(alice)).status).toBe(200)
    await work(alice, 4)
    await minutes(2, alice)
    expect(codeOf(await withdraw(alice, { nonce: 1 }))).toBe('closed')
    const paused = await control(env).newestModes()
    expect(paused).toMatchObject({ number: 1, modes: { withdrawals: 'closed' } })

    await order('mode', 'withdrawals=open')
    await minutes(5, alice)
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    await work(alice, 4)
    await takePastBooks(1n)
    await minutes(2, alice)
    expect(codeOf(await withdraw(alice, { nonce: 2 }))).toBe('closed')
    expect(await control(env).newestModes()).toMatchObject({ number: 3 })
  })
})

it('costs a minute without news one row and three calls of the node, beside the count of the bankroll', async () => {
  const alice = await depositor(0)
  await minutes(6, alice)
  pass(40 * MINUTE_MS)
  await minutes(2)
  const nodeCalls = countCalls()
  const cursors: { rowsWritten: number }[] = []
  const stop = await watchStorage({
    onStatement: (statement, cursor) => {
      if (/\b(reconciled|drifts|drifting)\b/.test(statement)) cursors.push(cursor)
    },
    onAlarm: () => {},
  })
  await treasury(env, vaultConfig().id).count()
  stop()
  expect(cursors.reduce((rows, { rowsWritten }) => rows + rowsWritten, 0)).toBe(1)
  // The bankroll's own are the two balances at the newest block.
  expect(nodeCalls()).toBe(2 + 3)
})
