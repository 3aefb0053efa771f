import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Withdrawals } from '../../durable-objects/ledger/withdrawals.ts'
import { ledger, treasury } from '../../src/calls/objects.ts'
import { sweep } from '../../src/sweep.ts'
import { Relayer } from '../../src/worker.ts'
import { entriesOf } from '../workers/journals.ts'
import { order } from '../workers/operator.ts'
import { pass, restart, type Player } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { burnOutside, payOutside, settle } from './outside.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
  leavesDifference,
  look,
  mined,
  nodeAnswers,
  sentByRelayer,
  setVars,
  theRelayer,
  tokenBalance,
  useChain,
  vault,
  vaultConfig,
  withdraw,
  work,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

async function shown(player: Player, nonce = 0, amountWei = AMOUNT) {
  return (await withdraw(player, { nonce, amountWei })).body.withdrawal
}

/** Restores the relayer's object to its state before any order. */
async function restoreRelayer(): Promise<void> {
  await runInDurableObject(theRelayer(), (_, { storage }) => {
    for (const table of ['payouts', 'transactions', 'attempts', 'outbox']) {
      storage.sql.exec(`DELETE FROM ${table}`)
    }
  })
}

async function workLong(player: Player): Promise<void> {
  for (let time = 0; time < 4; time++) {
    await work(player, 1)
    pass(60_000)
  }
}

let alice: Player
beforeEach(async () => {
  alice = await depositor(0)
})

describe('a withdrawal whose nonce is used on chain', () => {
  it('is confirmed even if its receipt came more than two minutes late', async () => {
    await withdraw(alice)
    await work(alice, 1)
    nodeAnswers('eth_getTransactionReceipt', () => null)
    await look()
    pass(121_000)
    await look()
    vi.restoreAllMocks()
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
    const { txHash } = await shown(alice)
    expect((await chain.getTransactionReceipt({ hash: txHash })).status).toBe('success')
    expect(await chipsOf(alice)).toBe(900_000_000n)
    // The next one is not blocked.
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    await workLong(alice)
    expect(await shown(alice, 1)).toMatchObject({ status: 'confirmed' })
  })

  it('fails automatically if the nonce was burned from outside, and the chips are back', async () => {
    const hash = await burnOutside(alice, 0)
    await withdraw(alice)
    await settle(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed', txHash: hash })
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('fails automatically if the nonce was burned while its payment was in flight', async () => {
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    expect(await shown(alice)).toMatchObject({ status: 'submitted' })
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await chain.writeContract({
      ...vault,
      functionName: 'burnNonce',
      account: RELAYER,
      nonce: 0,
      args: [alice.account.address, 0n],
    })
    await look()
    pass(121_000)
    await settle(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('is confirmed automatically if another transaction made exactly that payment', async () => {
    const hash = await payOutside(alice, AMOUNT, 0)
    await withdraw(alice)
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed', txHash: hash })
    expect(await chipsOf(alice)).toBe(900_000_000n)
  })

  it('is confirmed automatically if the relayer was restored to an earlier time', async () => {
    const before = await tokenBalance(alice.account.address, 'USDG')
    await withdraw(alice)
    await work(alice, 1)
    await restoreRelayer()
    expect(await shown(alice)).toMatchObject({ status: 'submitted' })
    pass(600_000)
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
    expect((await tokenBalance(alice.account.address, 'USDG')) - before).toBe(AMOUNT)
  })

  it('is the only one to fail, however many nonces the chain is ahead', async () => {
    for (const nonce of [0, 1, 2]) await burnOutside(alice, nonce)
    expect((await withdraw(alice)).status).toBe(200)
    // It waits until the burns are settled.
    await settle(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    expect((await withdraw(alice, { nonce: 1 })).body.error.details).toEqual({ expected: 3 })
    expect((await withdraw(alice, { nonce: 3 })).status).toBe(200)
    await work(alice)
    expect(await shown(alice, 3)).toMatchObject({ status: 'confirmed' })
    expect((await ledger(env, alice.wallet).verify()).ok).toBe(true)
  })

  it('waits while a reorg could still undo the burn, and then fails', async () => {
    await burnOutside(alice, 0)
    await withdraw(alice)
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'pending' })
    await settle(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
  })
})

describe("a paused vault's second burn", () => {
  it('is not sent: the withdrawal waits, and is paid once the vault is unpaused', async () => {
    await asOwner('pause')
    await withdraw(alice)
    await work(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    // Accepted before every isolate knows of the pause.
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    // A wallet rests after a burn.
    pass(61_000)
    await work(alice)
    expect(await shown(alice, 1)).toMatchObject({ status: 'pending' })
    await mined(asOwner('unpause'))
    await workLong(alice)
    expect(await shown(alice, 1)).toMatchObject({ status: 'confirmed' })
  })
})

describe("an operators' act on a stuck withdrawal", () => {
  const id = () => vaultConfig().id
  const resolve = async (outcome: 'confirmed' | 'failed', actId = 'act:1', nonce = 0) =>
    ledger(env, alice.wallet).resolveWithdrawal(id(), nonce, outcome, actId)

  /** Makes the vault pay half of the amount in the ledger. */
  async function paidOtherwise(): Promise<void> {
    await payOutside(alice, AMOUNT / 2n, 0)
    await withdraw(alice)
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'pending' })
  }

  it('ends a withdrawal once if the vault paid a different amount', async () => {
    await paidOtherwise()
    expect(await resolve('confirmed')).toBeNull()
    expect(await resolve('confirmed')).toBeNull()
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
    expect(await chipsOf(alice)).toBe(900_000_000n)
    expect((await resolve('failed', 'act:2'))?.error.code).toBe('idempotency_conflict')
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    await workLong(alice)
    expect(await shown(alice, 1)).toMatchObject({ status: 'confirmed' })
  })

  it.each([
    ['confirm-withdrawal', 'confirmed', 900_000_000n, AMOUNT / 2n],
    ['release-withdrawal', 'failed', 1_000_000_000n, -AMOUNT / 2n],
  ] as const)('comes signed, as %s, and the house bears what was paid', async (...row) => {
    const [act, status, chips, house] = row
    await paidOtherwise()
    const target = `${alice.wallet}:0`
    const { body } = await order(act, target)
    expect(body.act.result.isDone).toBe(true)
    expect(await shown(alice)).toMatchObject({ status })
    expect(await chipsOf(alice)).toBe(chips)
    const audit = await ledger(env, alice.wallet).verify()
    expect(audit).toMatchObject({ ok: true, balances: { USDG: { house: house.toString() } } })
  })

  it("leaves books that agree with the vault's logs, so bets are accepted once they are settled", async () => {
    await paidOtherwise()
    await resolve('failed')
    await settle(alice)
    for (let minute = 0; minute < 12; minute++) {
      pass(60_000)
      await sweep(env)
    }
    expect(await treasury(env, id()).count()).toMatchObject({ ok: true })
  })

  it("is refused if the vault's logs show that the withdrawal was paid: it is not paid twice", async () => {
    await payOutside(alice, AMOUNT, 0)
    await withdraw(alice)
    expect((await resolve('failed'))?.error.code).toBe('idempotency_conflict')
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
    expect(await chipsOf(alice)).toBe(900_000_000n)
  })

  it('is refused if nothing was paid with the nonce, so no chips vanish', async () => {
    await burnOutside(alice, 0)
    await withdraw(alice)
    expect((await resolve('confirmed'))?.error.code).toBe('idempotency_conflict')
    expect(await resolve('failed', 'act:2')).toBeNull()
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('is refused while the block that uses the nonce is unconfirmed', async () => {
    await paidOtherwise()
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '2' })
    expect((await resolve('failed'))?.error.code).toBe('withdrawal_pending')
    await chain.mine({ blocks: 1 })
    expect(await resolve('failed', 'act:2')).toBeNull()
  })

  it('stays refused once it was, even if a repetition arrives when it would not be', async () => {
    await paidOtherwise()
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '2' })
    const refusals = await Promise.all([resolve('failed'), resolve('failed')])
    expect(refusals[0]?.error.code).toBe('withdrawal_pending')
    await chain.mine({ blocks: 1 })
    await restart()
    expect([await resolve('failed'), refusals[1]]).toEqual([refusals[0], refusals[0]])
    expect(await shown(alice)).toMatchObject({ status: 'pending' })
    expect(await resolve('failed', 'act:2')).toBeNull()
  })

  it('is never refused once the relayer has dropped the payout, because nobody else would end it', async () => {
    await paidOtherwise()
    vi.spyOn(Withdrawals.prototype, 'end').mockImplementationOnce(() => {
      throw new Error('killed')
    })
    await expect(resolve('failed')).rejects.toThrow('killed')
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '2' })
    expect(await resolve('failed')).toBeNull()
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('stays refused for a withdrawal that did not exist yet, or that had ended', async () => {
    const early = await resolve('failed', 'act:early')
    expect(early?.error.code).toBe('not_found')
    await paidOtherwise()
    expect(await resolve('failed', 'act:early')).toEqual(early)
    expect(await resolve('confirmed')).toBeNull()
    const late = await resolve('failed', 'act:late')
    expect(late?.error.code).toBe('idempotency_conflict')
    expect(await resolve('failed', 'act:late')).toEqual(late)
    expect((await ledger(env, alice.wallet).verify()).ok).toBe(true)
  })

  it('gives the chips back, and the relayer drops the payout', async () => {
    await paidOtherwise()
    const sent = await sentByRelayer()
    expect(await resolve('failed')).toBeNull()
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    pass(600_000)
    await workLong(alice)
    expect(await sentByRelayer()).toBe(sent)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
  })

  it('survives a restore of the relayer: a refunded withdrawal is not paid', async () => {
    await paidOtherwise()
    await resolve('failed')
    await restoreRelayer()
    pass(600_000)
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
  })

  it('is recorded in the journal with its id', async () => {
    await paidOtherwise()
    await resolve('failed', 'act:7')
    const entries = await entriesOf(ledger(env, alice.wallet))
    expect(entries.at(-1)?.operationId).toBe(`resolve:${id()}:0:act:7`)
  })

  it('is contradicted only by a report of another end', async () => {
    await paidOtherwise()
    await resolve('failed')
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const report = (status: 'submitted' | 'failed' | 'confirmed', age: number) =>
      ledger(env, alice.wallet).withdrawalProgress(id(), 0, {
        status,
        txHash: `0x${'1'.repeat(64)}`,
        version: Number.MAX_SAFE_INTEGER - age,
      })
    await report('submitted', 2)
    await report('failed', 1)
    expect(log.mock.calls.join()).not.toContain('ended_withdrawal_contradicted')
    await report('confirmed', 0)
    expect(log.mock.calls.join()).toContain('ended_withdrawal_contradicted')
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
  })

  it('is refused while the nonce is unused on chain, because the withdrawal could still be paid', async () => {
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await withdraw(alice)
    await work(alice)
    expect((await resolve('failed'))?.error.code).toBe('withdrawal_pending')
    await chain.setBalance({ address: RELAYER.address, value: 10n ** 18n })
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
  })

  it('is refused while the relayer has yet to see that its own transaction has paid', async () => {
    await withdraw(alice)
    await work(alice, 1)
    expect((await resolve('confirmed'))?.error.code).toBe('withdrawal_pending')
    await workLong(alice)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
  })

  it('is refused if the withdrawal ends while the relayer is asked, so nothing is refunded that was paid', async () => {
    await paidOtherwise()
    const paid = { status: 'confirmed', txHash: null, version: Number.MAX_SAFE_INTEGER } as const
    const closePayout = Reflect.get(Relayer.prototype, 'closePayout')
    vi.spyOn(Relayer.prototype, 'closePayout').mockImplementationOnce(async function (
      this: Relayer,
      ...asked
    ) {
      const closed = await closePayout.apply(this, asked)
      await ledger(env, alice.wallet).withdrawalProgress(id(), 0, paid)
      return closed
    })
    expect((await resolve('failed'))?.error.code).toBe('idempotency_conflict')
    expect(await chipsOf(alice)).toBe(900_000_000n)
    leavesDifference('USDG', AMOUNT / 2n)
  })

  it('is refused while a transaction may still pay, and for a withdrawal that does not exist', async () => {
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    expect((await resolve('failed'))?.error.code).toBe('withdrawal_pending')
    expect((await resolve('failed', 'act:1', 5))?.error.code).toBe('not_found')
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await work(alice, 2)
    expect(await shown(alice)).toMatchObject({ status: 'confirmed' })
  })
})

describe('chips that were returned', () => {
  it('are not taken again, whatever the relayer reports later', async () => {
    await burnOutside(alice, 0)
    await withdraw(alice)
    await settle(alice)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    const update = { status: 'confirmed' as const, txHash: null, version: Number.MAX_SAFE_INTEGER }
    await ledger(env, alice.wallet).withdrawalProgress(vaultConfig().id, 0, update)
    expect(await shown(alice)).toMatchObject({ status: 'failed' })
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })
})
