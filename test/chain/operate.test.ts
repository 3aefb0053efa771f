import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { control, reprojection, vaultWatch } from '../../src/objects.ts'
import { get, pass, Player, post, restart } from '../workers/support.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  leavesDifference,
  signAct,
  useChain,
  vaultConfig,
  withdraw,
} from './support.ts'

useChain()

/** Returns a player whose credited deposit is no longer on the chain. */
async function frozenPlayer(): Promise<{ alice: Player; raw: Hex }> {
  const alice = new Player(0)
  const hash = await deposit(alice, 'ETH', 5_000_000n)
  await chipsOf(alice, 'ETH')
  const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
  await ask('anvil_reorg', 1, [])
  await chipsOf(alice, 'ETH')
  return { alice, raw }
}

const withdrawal = { token: 'ETH', amountWei: 1_000_000n } as const

describe('the vault owner', () => {
  it('ends a freeze, so withdrawals resume and the house bears the loss', async () => {
    const { alice } = await frozenPlayer()
    expect((await withdraw(alice, withdrawal)).status).toBe(503)
    const { status, body } = await post('/api/operate', await signAct({}))
    expect([status, body.act.result.isDone]).toEqual([200, true])
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
  })

  it('ends a freeze once: repeating the act gives the same answer, even after a restart', async () => {
    await frozenPlayer()
    const act = await signAct({})
    const first = await post('/api/operate', act)
    await restart()
    expect((await post('/api/operate', act)).text).toBe(first.text)
    const { body } = await post('/api/operate', await signAct({}))
    expect(body.act).toMatchObject({ nonce: 1, result: { isDone: false } })
  })

  it('ends only the freeze at the time of the act, not one after a restart', async () => {
    const act = await signAct({})
    expect((await post('/api/operate', act)).body.act.result.isDone).toBe(false)
    await restart()
    const { alice } = await frozenPlayer()
    pass(10_000)
    await runDurableObjectAlarm(control(env))
    expect((await withdraw(alice, withdrawal)).status).toBe(503)
    expect((await post('/api/operate', act)).body.act.result.isDone).toBe(false)
    leavesDifference('ETH', -5_000_000n)
  })

  it('ends a freeze, and a deposit that returns to the chain afterwards belongs to the house', async () => {
    const { alice, raw } = await frozenPlayer()
    await post('/api/operate', await signAct({}))
    await chain.sendRawTransaction({ serializedTransaction: raw })
    pass(2_000)
    await vaultWatch(env, vaultConfig().id).look()
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
  })
})

it('has everything that D1 lost sent again', async () => {
  const target = 'everything'
  const { body } = await post('/api/operate', await signAct({ act: 'reproject', target }))
  expect(body.act.result.isDone).toBe(true)
  expect(await reprojection(env).progress()).toMatchObject({ scope: target, stage: 'listed' })
})

describe('the service refuses an act', () => {
  it.each<[string, () => ReturnType<typeof signAct>, number, string]>([
    ['of another account', () => signAct({}, new Player(1).account), 422, 'signature_invalid'],
    ['that has expired', () => signAct({ expiresAt: 1 }), 422, 'signature_invalid'],
    ['with another nonce', () => signAct({ nonce: 7 }), 409, 'nonce_mismatch'],
    ['on an invalid wallet', () => signAct({ target: 'all' }), 400, 'invalid_request'],
    [
      'that was changed after it was signed',
      async () => ({ ...(await signAct({})), target: new Player(2).wallet }),
      422,
      'signature_invalid',
    ],
  ])('%s', async (_what, ordered, status, code) => {
    await frozenPlayer()
    const answer = await post('/api/operate', await ordered())
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect((await get('/api/operate')).body.nonce).toBe(0)
    leavesDifference('ETH', -5_000_000n)
  })

  it('whose nonce was used for another act', async () => {
    await frozenPlayer()
    await post('/api/operate', await signAct({}))
    const { status, body } = await post(
      '/api/operate',
      await signAct({ nonce: 0, reason: 'again' }),
    )
    expect([status, body.error]).toMatchObject([
      409,
      { code: 'nonce_mismatch', details: { expected: 1 } },
    ])
  })
})
