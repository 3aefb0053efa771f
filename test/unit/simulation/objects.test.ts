import { afterEach, describe, expect, it } from 'vitest'
import { callObject } from '../../simulation/world/calls.ts'
import { Coverage } from '../../simulation/world/coverage.ts'
import type { Fault, Injected } from '../../simulation/world/faults.ts'
import { GLOBALS, Program } from '../../simulation/world/isolates.ts'
import { socketPair } from '../../simulation/world/sockets.ts'
import { World } from '../../simulation/world/world.ts'

/** An object that counts, and one that calls it. */
const CODE = `
  class Counter {
    constructor(ctx) {
      this.ctx = ctx
      this.memory = 0
      this.ringing = []
      ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER)')
    }
    count() { return this.ctx.storage.sql.exec('SELECT count(*) AS n FROM t').one().n }
    async add() { this.memory++; this.ctx.storage.sql.exec('INSERT INTO t (n) VALUES (1)'); return this.count() }
    async read() { return [this.count(), this.memory] }
    async dieAndWrite() { globalThis.die(); this.ctx.storage.sql.exec('INSERT INTO t (n) VALUES (1)') }
    async listen() { this.ctx.acceptWebSocket(globalThis.socket) }
    async closeAndCount() {
      this.ctx.storage.sql.exec('INSERT INTO t (n) VALUES (1)')
      for (const socket of this.ctx.getWebSockets()) socket.close()
      return this.ctx.getWebSockets().length
    }
    async fail() { throw Object.assign(new TypeError('no'), { code: 'refused' }) }
    async ringAt(delayMs) { await this.ctx.storage.setAlarm(Date.now() + delayMs) }
    async alarm({ retryCount }) {
      const at = await this.ctx.storage.getAlarm()
      this.ctx.storage.sql.exec('INSERT INTO t (n) VALUES (1)')
      globalThis.rung.push([retryCount, at])
      if (globalThis.alarmFails) throw new Error('alarm failed')
    }
    async getAlarm() { return this.ctx.storage.getAlarm() }
  }
  class Caller {
    constructor(ctx, env) { this.ctx = ctx; this.env = env }
    async write() {
      this.ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS w (n INTEGER)')
      return this.env.COUNTER.getByName('one').add()
    }
  }
  module.exports = { Counter, Caller }
`

interface Shared {
  rung: [number, number | null][]
  alarmFails: boolean
  die: () => void
  socket: object
}
const shared = globalThis as unknown as Shared

let world: World

function start(...faults: Injected[]): World {
  shared.rung = []
  shared.alarmFails = false
  const setting = {
    programs: [new Program(CODE, GLOBALS)],
    vars: {},
    objectBindings: { COUNTER: 'Counter', CALLER: 'Caller' },
    databases: {},
    buckets: [],
    rateLimits: [],
    relayer: { address: '0x', privateKey: '' } as const,
    boxSigner: { privateKey: '' },
  }
  const choice = { faults, without: new Set<string>() }
  world = new World(1, setting, { coverage: new Coverage(), choice, isTold: false })
  return world
}

afterEach(() => world.close())

type Result = { value: unknown } | { error: Error & Record<string, unknown> } | 'none'

/** Calls an object, and lets an amount of time pass. */
async function call(className: string, method: string, args: unknown[] = [], forMs = 1_000) {
  let result: Result = 'none'
  callObject(world, world.objects.at(className, 'one'), method, args).then(
    (value) => (result = { value }),
    (error: Error & Record<string, unknown>) => (result = { error }),
  )
  await world.scheduler.run(world.scheduler.now + forMs, () => {})
  return result as Result
}

const at = (crossing: string, fault: Fault): Injected => ({ crossing: `${crossing} #1`, fault })
const ADD = 'world>Counter/one.add'

describe('a simulated object', () => {
  it('answers a call', async () => {
    start()
    expect(await call('Counter', 'add')).toEqual({ value: 1 })
  })

  it('loses writes and memory if it dies before its commit, and its caller hears of it', async () => {
    start(at(ADD, 'killed-before-commit'))
    expect(await call('Counter', 'add')).toHaveProperty('error.remote', true)
    expect(await call('Counter', 'read')).toEqual({ value: [0, 0] })
  })

  it('begins without what its predecessor wrote on after its death, and confirms what it writes', async () => {
    start()
    shared.die = () => world.objects.at('Counter', 'one').kill()
    expect(await call('Counter', 'add')).toEqual({ value: 1 })
    expect(await call('Counter', 'dieAndWrite')).toHaveProperty('error.remote', true)
    expect(await call('Counter', 'add')).toEqual({ value: 2 })
  })

  it('keeps writes if it dies after its commit, without answering', async () => {
    start(at(ADD, 'killed-after-commit'))
    expect(await call('Counter', 'add')).toHaveProperty('error.remote', true)
    expect(await call('Counter', 'read')).toEqual({ value: [1, 0] })
  })

  it('sends nothing before its earlier writes are confirmed', async () => {
    start(at('world>Caller/one.write', 'killed-before-commit'))
    expect(await call('Caller', 'write')).toHaveProperty('error')
    expect(await call('Counter', 'read')).toEqual({ value: [0, 0] })
  })

  it('forgets its memory when it is evicted', async () => {
    start(at(ADD, 'evicted'))
    expect(await call('Counter', 'add', [], 5_000)).toEqual({ value: 1 })
    expect(await call('Counter', 'read')).toEqual({ value: [1, 0] })
  })

  it('gets a late request after its caller was told of a failure', async () => {
    start(at(ADD, 'late'))
    expect(await call('Counter', 'add', [], 100_000)).toHaveProperty('error')
    expect(await call('Counter', 'read')).toEqual({ value: [1, 1] })
  })

  it('gets a duplicated request twice', async () => {
    start(at(ADD, 'duplicated'))
    expect(await call('Counter', 'add', [], 100_000)).toEqual({ value: 1 })
    expect(await call('Counter', 'read')).toEqual({ value: [2, 2] })
  })

  it('is not called if the request is lost', async () => {
    start(at(ADD, 'request-lost'))
    expect(await call('Counter', 'add')).toHaveProperty('error')
    expect(await call('Counter', 'read')).toEqual({ value: [0, 0] })
  })

  it('throws errors that keep their fields but not their class', async () => {
    start()
    const result = await call('Counter', 'fail')
    expect(result).toMatchObject({ error: { message: 'no', code: 'refused' } })
    expect(result).not.toHaveProperty('error', expect.any(TypeError))
  })
})

it('a client hears that its connection has ended, even if the object dies before its close has left', async () => {
  start(at('world>Counter/one.closeAndCount', 'killed-before-commit'))
  const { 0: client, 1: server } = socketPair(world)
  let hasHeard = false
  client.take({ hear: () => {}, end: () => (hasHeard = true) })
  shared.socket = server
  await call('Counter', 'listen')
  expect(hasHeard).toBe(false)
  await call('Counter', 'closeAndCount')
  expect(hasHeard).toBe(true)
})

describe('the alarm of a simulated object', () => {
  it('rings once, and is not set while it rings', async () => {
    start()
    await call('Counter', 'ringAt', [100], 60_000)
    expect(shared.rung).toEqual([[0, null]])
    expect(await call('Counter', 'getAlarm')).toEqual({ value: null })
  })

  it('rings again with growing pauses if its handler throws, and is gone after six retries', async () => {
    start()
    shared.alarmFails = true
    await call('Counter', 'ringAt', [100], 300_000)
    expect(shared.rung.map(([retryCount]) => retryCount)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(await call('Counter', 'getAlarm')).toEqual({ value: null })
  })

  it('is lost with the unconfirmed writes around it', async () => {
    start(at('world>Counter/one.ringAt', 'killed-before-commit'))
    await call('Counter', 'ringAt', [100], 60_000)
    expect(shared.rung).toEqual([])
  })

  it('rings again as often as the object dies in its handler', async () => {
    const deaths = Array.from({ length: 8 }, (_, index) => ({
      crossing: `alarm>Counter/one #${index + 1}`,
      fault: 'killed-before-commit' as const,
    }))
    start(...deaths)
    await call('Counter', 'ringAt', [100], 1_000_000)
    // None of these tries counts as a failure of the code.
    expect(shared.rung).toEqual(Array.from({ length: 9 }, () => [0, null]))
    expect(await call('Counter', 'read')).toMatchObject({ value: [1, 0] })
  })
})
