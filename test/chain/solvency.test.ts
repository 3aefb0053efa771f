import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, solvency, transparencyLog } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { blockTime, holdingsAt } from '../../src/chain/vault.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { refuse } from '../../src/core/refusal.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import type { Statement } from '../../src/solvency/statement.ts'
import { sweep } from '../../src/sweep.ts'
import { Ledger, Solvency, TransparencyLog, Treasury, VaultWatch } from '../../src/worker.ts'
import { setLimit } from '../workers/limits.ts'
import { expectOneCall } from '../workers/one-call.ts'
import { Platform } from '../workers/partner.ts'
import { codeOf, get, loseAlarm, openRound, pass, Player, post } from '../workers/support.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import { count, DEPOSIT, failing, read, settle } from './solvency.ts'
import {
  deposit,
  depositor,
  chain,
  chipsOf,
  fundHouse,
  leavesDifference,
  setVars,
  tokenBalance,
  useChain,
  vaultConfig,
  withdraw,
  work,
  write,
} from './support.ts'

useChain()

/** Has the house overlook whose positions may lack a movement of the vault. */
function overlookRecentPlayers(): void {
  vi.spyOn(Treasury.prototype, 'recentPlayers').mockResolvedValue([])
}

/** A ledger that doesn't answer until it is restored. */
function unanswering(player: Player) {
  const ask: Ledger['position'] = Reflect.get(Ledger.prototype, 'position')
  return vi.spyOn(Ledger.prototype, 'position').mockImplementation(function (this: Ledger) {
    const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
    if (name === player.wallet) throw new Error('does not answer')
    return ask.call(this)
  })
}

describe('the count of all debts', () => {
  it('is made once an hour by the cron handler', async () => {
    await sweep(env)
    expect((await get('/api/solvency')).body).toMatchObject({
      ok: true,
      epoch: 1,
      leaves: 0,
      owed: { ETH: '0', USDG: '0' },
      ratio: { ETH: '1', USDG: '1' },
    })
    pass(HOUR_MS)
    await Promise.all([sweep(env), sweep(env)])
    expect((await get('/api/solvency')).body.epoch).toBe(2)
    pass(MINUTE_MS)
    await sweep(env)
    expect((await get('/api/solvency')).body.epoch).toBe(2)
  })

  it('is read from its object once a second, however many ask', async () => {
    await sweep(env)
    await expectOneCall(vi.spyOn(Solvency.prototype, 'read'), '/api/solvency', 1_000)
  })

  it('sums chips, stakes and withdrawals, and proves to each player that theirs are in it', async () => {
    await fundHouse('USDG', 5_000_000_000n)
    await sweep(env)
    const [alice, bob, carol] = [await depositor(0), await depositor(1), await depositor(2)]
    await sweep(env)
    await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    await withdraw(bob, { amountWei: 400_000_000n })
    await withdraw(carol, { amountWei: 400_000_000n })
    await work(carol)
    expect(await carol.chips()).toBe('600000000')
    await Promise.all(
      [alice, bob, carol].map((player) => ledger(env, player.wallet).sendPosition()),
    )
    await solvency(env).publish()
    const { body } = await get('/api/solvency')
    expect(body).toMatchObject({
      owed: { ETH: '0', USDG: (2n * DEPOSIT + 600_000_000n).toString() },
      leaves: 3,
      partners: { ETH: '0', USDG: '0' },
      ratio: { ETH: '1', USDG: (7_600_000 / 2_600_000).toFixed(7).slice(0, -1) },
    })
    for (const player of [alice, bob, carol]) expect(await failing(player)).toEqual([])
    const usdg = async (player: Player) => {
      const { leaf } = (await read(player)).body.proof
      return [leaf.owed.USDG, leaf.deposited.USDG, leaf.withdrawn.USDG]
    }
    const all = DEPOSIT.toString()
    expect(await usdg(alice)).toEqual([all, all, '0'])
    expect(await usdg(bob)).toEqual([all, all, '0'])
    expect(await usdg(carol)).toEqual(['600000000', all, '400000000'])
  })

  it("names a block, and the vault's holdings after it, as the chain has them", async () => {
    const alice = await depositor(0)
    await settle(alice)
    const { vault, contract } = await count()
    const { hash, timestamp } = await chain.getBlock({ blockNumber: BigInt(vault.blockNumber) })
    expect(await blockTime(chain, vault.blockNumber)).toBe(Number(timestamp) * 1_000)
    const USDG = await tokenBalance(VAULT_ADDRESS, 'USDG')
    const held = { ETH: '0', USDG: USDG.toString() }
    expect(contract).toEqual({ chainId: 31_337, address: VAULT_ADDRESS, usdg: USDG_ADDRESS })
    const madeAt = Number(timestamp) * 1_000
    const block = { blockHash: hash, madeAt, confirmedAt: null }
    const seen = { contract, holdings: held, ...block }
    expect(await failing(alice, { chain: seen })).toEqual([])
    const more = { ...held, USDG: (USDG + 1n).toString() }
    expect(await failing(alice, { chain: { ...seen, holdings: more } })).toHaveLength(1)
  })

  it('has no tokens that reached the vault past its books, because nobody can be paid with them', async () => {
    const alice = await depositor(0)
    const token = { address: USDG_ADDRESS, abi: tokenAbi } as const
    await write(token, 'mint', [VAULT_ADDRESS, DEPOSIT])
    leavesDifference('USDG', DEPOSIT)
    await settle(alice)
    const { vault, ratio } = await count()
    expect([vault.holdings.USDG, ratio.USDG]).toEqual([DEPOSIT.toString(), '1.000000'])
    const seen = await holdingsAt(chain, vaultConfig(), vault.blockNumber)
    expect(seen.holdings.USDG).toBe(DEPOSIT)
  })

  it('has what is owed to partners beside what is owed to players', async () => {
    const alice = await depositor(0)
    const platform = new Platform()
    expect((await platform.transact(alice, '-10')).status).toBe(200)
    await settle(alice)
    expect(await count()).toMatchObject({
      owed: { USDG: '990000000' },
      partners: { ETH: '0', USDG: '10000000' },
      ratio: { USDG: '1.000000' },
    })
  })

  it('has all that is owed to one partner, although another owes the house more', async () => {
    const alice = await depositor(0)
    const bob = new Player(1)
    expect((await new Platform().transact(alice, '-10')).status).toBe(200)
    expect((await new Platform(OTHER_DEV_PARTNER).transact(bob, '25')).status).toBe(200)
    await settle(alice, bob)
    expect(await count()).toMatchObject({
      owed: { USDG: '1015000000' },
      partners: { USDG: '10000000' },
      ratio: { USDG: '0.975609' },
    })
  })

  it('shows the same secret of a wallet in every epoch, and another salt', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await count()
    const { proof: first } = (await read(alice)).body
    await count()
    const { proof: second } = (await read(alice)).body
    expect(second.walletSalt).toBe(first.walletSalt)
    expect(second.salt).not.toBe(first.salt)
    expect(await failing(alice, { walletSalt: first.walletSalt })).toEqual([])
  })

  it('shows a proof to its player alone', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await count()
    const bob = new Player(1)
    const forged = new URLSearchParams({ wallet: alice.wallet, authSig: await bob.authSig() })
    expect(codeOf(await get(`/api/solvency?${forged.toString()}`))).toBe('auth_invalid')
    expect(codeOf(await get(`/api/solvency?wallet=${alice.wallet}`))).toBe('auth_required')
    expect((await get('/api/solvency')).body).not.toHaveProperty('proof')
    expect((await read(bob)).body.proof).toBeNull()
  })

  it('leaves out wallets that have only set limits, which D1 does not list', async () => {
    const [alice, bob] = [await depositor(0), new Player(7)]
    expect((await setLimit(bob, 'wager', '5')).status).toBe(200)
    await settle(alice, bob)
    const listed = env.DB.prepare('SELECT DISTINCT wallet FROM ledger_positions').raw()
    expect(await listed).toEqual([[alice.wallet]])
    expect((await count()).leaves).toBe(1)
    expect(await failing(bob)).toEqual([])
    await deposit(bob, 'USDG', DEPOSIT)
    expect(await chipsOf(bob)).toBe(DEPOSIT)
    await settle(bob)
    expect((await count()).leaves).toBe(2)
    expect(await failing(bob)).toEqual([])
  })

  it('is made for the first reader in local play, and elsewhere by the cron handler alone', async () => {
    await setVars(solvency(env), { CHAIN_RPC_URL: 'http://nowhere.test' })
    expect((await get('/api/solvency')).status).toBe(500)
    await setVars(solvency(env), {})
    // Until then others get the same fault.
    pass(1_000)
    expect((await get('/api/solvency')).body.epoch).toBe(1)
  })

  it('can be made at any time in local play, with the current chips of a wallet', async () => {
    const alice = await depositor(0)
    const { status, body } = await post('/api/dev/solvency', { wallet: alice.wallet })
    expect([status, body.owed.USDG]).toEqual([200, DEPOSIT.toString()])
    expect(await failing(alice)).toEqual([])
  })
})

describe('a deposit that the vault holds is owed in the same count', () => {
  const all = { owed: { ETH: '0', USDG: DEPOSIT.toString() }, leaves: 1 }

  it('even if its wallet has no position yet', async () => {
    const alice = await depositor(0)
    expect((await get('/api/solvency')).body).toMatchObject({ ...all, ratio: { USDG: '1.000000' } })
    expect(await failing(alice)).toEqual([])
  })

  it('even if it has not been credited yet', async () => {
    await deposit(new Player(0), 'USDG', DEPOSIT)
    expect((await get('/api/solvency')).body).toMatchObject({ ...all, ratio: { USDG: '1.000000' } })
  })

  it('even if its wallet has an older position', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await deposit(alice, 'USDG', 5_000_000n)
    const { owed, ratio } = (await solvency(env).publish()) as Statement
    expect([owed.USDG, ratio.USDG]).toEqual([(DEPOSIT + 5_000_000n).toString(), '1.000000'])
  })

  it('so nothing is counted while not every deposit has been credited', async () => {
    await depositor(0)
    const behind = vi.spyOn(VaultWatch.prototype, 'look').mockResolvedValue(false)
    expect(await solvency(env).publish()).toMatchObject({ error: { code: 'chain_unavailable' } })
    expect(codeOf(await get('/api/solvency'))).toBe('not_found')
    behind.mockRestore()
    expect(await solvency(env).publish()).toMatchObject({ epoch: 1, ...all })
  })

  it('so nothing is counted if D1 was restored while its positions were read', async () => {
    const closed = refuse('closed', 'Some balances are still being collected. Try again later.')
    const asked = vi.spyOn(Treasury.prototype, 'recentPlayers')
    asked.mockResolvedValueOnce([]).mockResolvedValueOnce(closed)
    expect(await solvency(env).publish()).toEqual(closed)
    expect(await solvency(env).read(null)).toBeNull()
  })

  it('so nothing is counted while a ledger without a position does not answer', async () => {
    await depositor(0)
    const stuck = vi.spyOn(Ledger.prototype, 'sendPosition').mockRejectedValue(new Error('stuck'))
    expect((await get('/api/solvency')).status).toBe(500)
    stuck.mockRestore()
    expect(await solvency(env).publish()).toMatchObject({ epoch: 1, ...all })
  })

  it('so nothing is counted while a position of an older deposit is missing', async () => {
    const alice = await depositor(0)
    for (let minutes = 0; minutes <= 60; minutes += 30) {
      await settle(alice)
      pass(30 * MINUTE_MS)
      await sweep(env)
    }
    await env.DB.exec('DELETE FROM ledger_positions')
    expect(await solvency(env).publish()).toMatchObject({ error: { code: 'closed' } })
    await ledger(env, alice.wallet).sendPosition()
    expect(await solvency(env).publish()).toMatchObject(all)
  })
})

describe('the public log', () => {
  /** What the log has of an epoch: the first entry stays, and a later one is answered with it. */
  async function logged(epoch: number) {
    const { entry } = await transparencyLog(env).append({
      kind: 'solvency',
      id: String(epoch),
      at: 0,
      root: 'not logged before',
    })
    return entry
  }

  it('has the statement of every epoch', async () => {
    const first = await count()
    const second = await count()
    expect([first.epoch, second.epoch]).toEqual([1, 2])
    const { ok: _, ...statement } = second as Statement & { ok: true }
    expect(await logged(2)).toEqual({ kind: 'solvency', id: '2', ...statement })
    expect((await logged(1))['root']).toBe(first.root)
  })

  it('is what the epochs of an object that was restored continue', async () => {
    for (const id of ['1', '2']) await transparencyLog(env).append({ kind: 'solvency', id, at: 0 })
    const third = await count()
    expect(third.epoch).toBe(3)
    expect((await logged(3))['root']).toBe(third.root)
  })

  it('gets an epoch later if it did not answer, and the next one only after that', async () => {
    const append: TransparencyLog['append'] = Reflect.get(TransparencyLog.prototype, 'append')
    const down = vi.spyOn(TransparencyLog.prototype, 'append').mockRejectedValue(new Error('down'))
    const first = await count()
    expect(first.epoch).toBe(1)
    expect((await count()).epoch).toBe(1)
    down.mockImplementation(append)
    pass(MINUTE_MS)
    await sweep(env)
    expect((await get('/api/solvency')).body.epoch).toBe(2)
    expect((await logged(1))['root']).toBe(first.root)
  })
})

describe('a leaf is of an entry that was the latest at most ten minutes before,', () => {
  // Chips of the faucet are not in the vault.
  beforeEach(() => fundHouse('USDG', 1_000n))

  it('because a ledger sends its position within five', async () => {
    const alice = await depositor(0)
    await alice.fund('5')
    await settle(alice)
    const seq = (await ledger(env, alice.wallet).position())!.version
    pass(5 * MINUTE_MS + 1)
    expect(seq).toBe(2)
    const { at } = (await solvency(env).publish()) as Statement
    expect((await read(alice)).body.proof.leaf.seq).toBe(seq)
    const receipts = [{ seq, at: at - 10 * MINUTE_MS - 1 }]
    expect(await failing(alice, { receipts })).toEqual([])
  })

  it('and because a ledger that fell silent is asked', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await alice.fund('5')
    await loseAlarm(ledger(env, alice.wallet))
    pass(11 * MINUTE_MS)
    const seq = (await ledger(env, alice.wallet).position())!.version
    const sent = await env.DB.prepare('SELECT version FROM ledger_positions').first()
    expect(sent).toEqual({ version: seq - 1 })
    await solvency(env).publish()
    expect((await read(alice)).body.proof.leaf.seq).toBe(seq)
  })

  it('so nothing is counted while such a ledger does not answer', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await sweep(env)
    const { epoch } = (await get('/api/solvency')).body
    expect(epoch).toBe(1)
    await alice.fund('5')
    const stuck = unanswering(alice)
    pass(HOUR_MS)
    await sweep(env)
    expect((await get('/api/solvency')).body.epoch).toBe(epoch)
    stuck.mockRestore()
    pass(MINUTE_MS)
    await sweep(env)
    expect((await get('/api/solvency')).body.epoch).toBe(epoch + 1)
    expect(await failing(alice)).toEqual([])
  })

  it('so nothing is counted while ledgers cannot send their positions', async () => {
    await sweep(env)
    for (const change of ['INSERT', 'UPDATE']) {
      await env.DB.exec(
        `CREATE TRIGGER full_${change} BEFORE ${change} ON heartbeat BEGIN SELECT RAISE(FAIL, 'full'); END`,
      )
    }
    await sweep(env)
    expect(await solvency(env).publish()).toMatchObject({ error: { code: 'closed' } })
    for (const change of ['INSERT', 'UPDATE']) await env.DB.exec(`DROP TRIGGER full_${change}`)
    pass(5 * MINUTE_MS)
    await sweep(env)
    expect(await solvency(env).publish()).toMatchObject({ error: { code: 'closed' } })
    pass(MINUTE_MS)
    expect(await solvency(env).publish()).toMatchObject({ epoch: 2 })
  })
})

describe('an understated liability is caught by the player:', () => {
  it('a wallet left out although its receipt is old enough', async () => {
    const [alice, bob] = [await depositor(0), await depositor(1)]
    await settle(alice, bob)
    const receipt = { seq: 1, at: Date.now() }
    await env.DB.prepare('DELETE FROM ledger_positions WHERE wallet = ?').bind(alice.wallet).run()
    pass(HOUR_MS)
    overlookRecentPlayers()
    await solvency(env).publish()
    expect(await failing(alice, { receipts: [receipt] })).toHaveLength(1)
    expect(await failing(bob, { receipts: [receipt] })).toEqual([])
  })

  it('an old position, with less than was won or deposited since', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const old = await env.DB.prepare('SELECT version FROM ledger_positions').first<{
      version: number
    }>()
    await deposit(alice, 'USDG', 5_000_000n)
    expect(await alice.chips()).toBe((DEPOSIT + 5_000_000n).toString())
    const receipt = { seq: old!.version + 1, at: Date.now() }
    await loseAlarm(ledger(env, alice.wallet))
    pass(2 * HOUR_MS)
    overlookRecentPlayers()
    await solvency(env).publish()
    expect(await failing(alice, { receipts: [receipt] })).toEqual([
      `the leaf is of entry ${old!.version}, no older than your receipt of entry ${receipt.seq}`,
    ])
  })
})
