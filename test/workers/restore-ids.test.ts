import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { Ledger } from '../../durable-objects/ledger.ts'
import { control, ledger, partnerIdsShard } from '../../src/calls/objects.ts'
import { refuse } from '../../src/core/refusal.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { rollbackText } from '../../src/ledger/transfer.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { shardOf } from '../../src/wallet-bridge/ids.ts'
import { entriesOf } from './journals.ts'
import { bringBack, goesBackTo, stateOf } from './ledger-states.ts'
import { look, order, setModes } from './operator.ts'
import { loseCall, Platform } from './partner.ts'
import { fundedPlayer, now, pass, type Player, ringLedger, useStories } from './support.ts'

useStories()

const platform = new Platform()

let alice: Player

const own = () => ledger(env, alice.wallet)

const win = () => platform.transact(alice, '5', { partnerTransactionId: 'win' })

const rollbackOf = (originalId: string) => rollbackText({ token: 'USDG', originalId })

/** Has the partner use ids of a shard for alice, all of them for rollbacks of what never arrived. */
async function useIds(shard: number, count: number, originalId = 'none'): Promise<void> {
  await runInDurableObject(partnerIdsShard(env, 'demo', shard), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO ids (id, kind, wallet, token, request)
       SELECT ? || i, 'rollback', ?, 'USDG', ? FROM n`,
      count,
      `${shard}-`,
      alice.wallet,
      rollbackOf(originalId),
    )
  })
}

/** Has alice's ledger store these ids, as if it had carried out what each stands for. */
async function store(shard: number, count: number): Promise<void> {
  await runInDurableObject(own(), (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO ids (id, seq) SELECT ? || i, 1 FROM n`,
      count,
      operationId('bridge', 'demo', `${shard}-`),
    )
  })
}

async function close(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LAST_KNOWN_MS)
}

const open = () => setModes(`wallet:${alice.wallet}=open`)

/** Has the ledger lose what happens meanwhile, and returns the act that restores it. */
async function losing(meanwhile: () => Promise<unknown>) {
  const state = await stateOf(alice.wallet)
  const time = isoTime(now()).replace(/\.\d+Z$/, 'Z')
  pass(1_000)
  await alice.play({ nonce: 2 })
  await meanwhile()
  await close()
  await goesBackTo(alice.wallet, state)
  return (await order('restore', `${alice.wallet}@${time}`)).body.act
}

/** The ids that the ledger's journal has stored for partners. */
async function partnersIds(): Promise<string[]> {
  const entries = await entriesOf(own())
  return entries.map(({ operationId: id }) => id).filter((id) => id.startsWith('bridge:'))
}

beforeEach(async () => {
  alice = await fundedPlayer(0)
  for (let nonce = 0; nonce < 2; nonce++) await alice.play({ nonce })
  pass(60_000)
})

it('a restore finds what was lost among more ids than fit into one call', async () => {
  // Far longer than a partner's, so that few of them make the 32 MiB of a call.
  await useIds(0, 6_000, '-'.repeat(6_000))
  await store(0, 6_000)
  const act = await losing(async () => expect((await win()).status).toBe(200))
  expect(act.result).toMatchObject({ isDone: true })
  expect(await partnersIds()).toEqual(['bridge:demo:win'])
  await open()
  expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
})

it('a restore marks no id that never reached the ledger, however many there are', async () => {
  const act = await losing(async () => {
    for (const shard of [0, 1]) await useIds(shard, 4_000)
    loseCall(Ledger.prototype, 'transact')
    expect((await win()).status).toBe(500)
  })
  expect(act.result).toMatchObject({ isDone: true })
  expect(await partnersIds()).toEqual([])
  await open()
  expect((await win()).status).toBe(200)
})

it('a restore that stops while it marks ids resumes, and marks each once', async () => {
  const state = await stateOf(alice.wallet)
  for (let nonce = 2; nonce < 5; nonce++) await alice.play({ nonce })
  for (const shard of [0, 1, 2]) await useIds(shard, 100)
  pass(300_000)
  await ringLedger(alice)
  await bringBack(alice.wallet, state)
  await close()
  const markLost = Reflect.get(Ledger.prototype, 'markLost')
  vi.spyOn(Ledger.prototype, 'markLost')
    .mockImplementationOnce(markLost)
    .mockRejectedValueOnce(new Error('it stops'))
  const { act } = (await order('restore', alice.wallet)).body
  expect(act.result).toBeNull()
  expect(await partnersIds()).toHaveLength(100)
  pass(60_000)
  await runDurableObjectAlarm(control(env))
  expect((await look()).body.acts.decided[0].result).toMatchObject({ isDone: true })
  const marked = await partnersIds()
  expect(marked).toHaveLength(300)
  expect(new Set(marked).size).toBe(300)
  expect((await entriesOf(own())).at(-1)?.operationId).toBe(operationId('restored', act.hash))
})

it('a restore that is refused leaves marked what was lost, because the wallet may be opened all the same', async () => {
  const refusal = refuse('withdrawal_pending', 'It has not ended.')
  vi.spyOn(Ledger.prototype, 'goOn').mockResolvedValueOnce(refusal)
  const act = await losing(async () => expect((await win()).status).toBe(200))
  expect(act.result).toMatchObject({ isDone: false })
  await open()
  expect((await win()).body.error.details).toEqual({ reason: 'answer_lost' })
})

it('a restore marks nothing once the ledger goes on', async () => {
  const act = await losing(async () => {})
  const { seq } = await own().standing(0)
  await own().markLost(act.hash, [{ partner: 'demo', id: 'new', request: rollbackOf('none') }])
  expect((await own().standing(0)).seq).toBe(seq)
})

it('a transaction and its rollback that were lost are both marked, in whichever order they are found', async () => {
  const ids = Array.from({ length: 20 }, (_, number) => `id-${number}`)
  const [undo = '', ...others] = ids.sort((one, other) => shardOf(one) - shardOf(other))
  const stake = others.at(-1) ?? ''
  const bet = () => platform.transact(alice, '-3', { partnerTransactionId: stake })
  await losing(async () => {
    expect((await bet()).status).toBe(200)
    const undone = await platform.rollBack(alice, stake, { partnerTransactionId: undo })
    expect(undone.status).toBe(200)
  })
  await open()
  expect((await bet()).body.error.details).toEqual({ reason: 'answer_lost' })
})
