import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashStream } from '../../src/calls/objects.ts'
import { CrashTable } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { call, get, post, useStories, outcomeOf } from './support.ts'
import { knock, Viewer } from './viewer.ts'

useStories()

describe('a refusal', () => {
  it('answers a read that is not a WebSocket, and a POST', async () => {
    expect(outcomeOf(await get('/api/crash/stream'))).toEqual([400, 'invalid_request'])
    expect(await post('/api/crash/stream', {})).toMatchObject({ status: 405 })
    expect((await call('/api/crash/stream', { method: 'PUT' })).headers.get('allow')).toBe(
      'GET, HEAD',
    )
  })

  it('answers an address that already has a hundred viewers', async () => {
    const viewers = await Promise.all(Array.from({ length: 100 }, () => Viewer.connect()))
    const snapshot = vi.spyOn(CrashTable.prototype, 'snapshot')
    const refused = await knock()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
    expect(snapshot).not.toHaveBeenCalled()
    expect((await knock('192.0.2.2')).status).toBe(101)
    viewers[0]?.leave()
    await viewers[0]?.closed
    expect((await knock()).status).toBe(101)
  })

  it('answers those who connect at the same time beyond a hundred', async () => {
    const answers = await Promise.all(Array.from({ length: 102 }, () => knock()))
    for (const { webSocket } of answers) webSocket?.accept()
    expect(answers.filter(({ status }) => status === 101)).toHaveLength(100)
    for (const { webSocket } of answers) webSocket?.close()
  })

  it('answers an address whose hundred sockets were closed, but which does not answer that', async () => {
    // Held until the end: a socket that nobody holds is collected, and then gone for the object too.
    const sockets: WebSocket[] = []
    while (sockets.length < 100) {
      const { webSocket } = await knock()
      webSocket!.accept({ allowHalfOpen: true })
      webSocket!.send('x'.repeat(1_025))
      sockets.push(webSocket!)
    }
    const stillOpen = () =>
      runInDurableObject(crashStream(env), (_, ctx) => {
        const open = ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
        return open.length
      })
    await vi.waitFor(async () => expect(await stillOpen()).toBe(0), SOON)
    expect((await knock()).status).toBe(429)
    for (const socket of sockets) socket.close()
    await vi.waitFor(async () => expect((await knock()).status).toBe(101), SOON)
  })

  it('answers an IPv6 network, a /48, that already has two hundred viewers', async () => {
    const address = (site: number, part: number) => `2001:db8:${site}:${part.toString(16)}::1`
    const viewers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => Viewer.connect(address(1, Math.floor(index / 50)))),
    )
    const refused = await knock(address(1, 4))
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limited', message: expect.stringContaining('/48') },
    })
    expect((await knock(address(2, 4))).status).toBe(101)
    viewers[0]?.leave()
    await viewers[0]?.closed
    expect((await knock(address(1, 4))).status).toBe(101)
  })

  it('answers a new viewer when five thousand are watching', async () => {
    const first = await Viewer.connect()
    await runInDurableObject(crashStream(env), (_, ctx) => {
      const [socket] = ctx.getWebSockets()
      vi.spyOn(Object.getPrototypeOf(ctx) as typeof ctx, 'getWebSockets').mockImplementation(
        (address) => Array.from({ length: address === undefined ? 5_000 : 1 }, () => socket!),
      )
    })
    const refused = await knock()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('too many live viewers') },
    })
    vi.restoreAllMocks()
    expect((await knock()).status).toBe(101)
    first.leave()
  })

  it('closes the socket of a viewer who sends too much or stays too long', async () => {
    const [chatty, long] = [await Viewer.connect(), await Viewer.connect()]
    for (let said = 0; said <= 10; said++) chatty.say('hello')
    expect(await chatty.closed).toMatchObject({ code: 1008 })
    long.say('x'.repeat(1_025))
    expect(await long.closed).toMatchObject({ code: 1008 })
  })

  it('is not sent for a few meaningless messages', async () => {
    const viewer = await Viewer.connect()
    for (let said = 0; said < 10; said++) viewer.say('hello')
    expect(await viewer.all()).toHaveLength(1)
  })
})
