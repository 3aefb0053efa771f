import { describe, expect, it } from 'vitest'
import { startIsolate } from './isolate.ts'
import { answering, playUpstreams } from './rpc-support.ts'
import { codeOf, fundedPlayer, openRound, outcomeOf, pass, setTime, useStories } from './support.ts'

useStories()

const NODE = 'http://chain.test/'
const YES = '0x01'
const NO = '0x00'

/** An isolate in which the contract wallet of a player with chips has just signed in. @param size of its signature */
async function signedIn(size = 70) {
  const isolate = await startIsolate()
  const { wallet } = await fundedPlayer(0)
  const authSig = `0x${'5e'.repeat(size)}`
  const node: { answer: string | Response } = { answer: YES }
  const calls = playUpstreams({ [NODE]: answering('eth_call', () => node.answer) })
  const vars = { CHAIN_RPC_URL: NODE }
  const read = () =>
    isolate.call(`/api/entropy?wallet=${wallet}&authSig=${authSig}`, undefined, vars)
  const act = (action: string, fields: object = {}) => {
    const body = JSON.stringify({ action, wallet, authSig, ...fields })
    const headers = { 'content-type': 'application/json' }
    return isolate.call('/api/crash', { method: 'POST', headers, body }, vars)
  }
  const asked = () => calls.filter(({ method }) => method === 'eth_call').length
  const fail = () => (node.answer = new Response('down', { status: 502 }))
  expect((await read()).status).toBe(200)
  return { read, act, asked, fail, revoke: () => (node.answer = NO) }
}

describe('a contract wallet', () => {
  it('cashes out while the node fails, until its last check is a minute old', async () => {
    const { act, fail } = await signedIn()
    pass(45_000)
    const plan = await openRound({ min: 1_000 })
    const bet = { token: 'USDG', amountWei: '1000000' }
    expect((await act('bet', bet)).status).toBe(200)
    fail()
    setTime(plan.flightAt + 11_553)
    expect((await act('cashout')).body).toMatchObject({ ok: true, multiplier: 2 })
    pass(60_000)
    expect(outcomeOf(await act('cashout'))).toEqual([503, 'chain_unavailable'])
  })

  it.each([
    ['a long signature', 70],
    ["a signature as long as a key's", 65],
  ])('with %s is asked again beside a call from half a minute on, once', async (_, size) => {
    const { read, asked } = await signedIn(size)
    for (const [ms, expected] of [
      [29_999, 1],
      [1, 2],
      [1, 2],
      [29_998, 2],
      [1, 3],
    ] as const) {
      pass(ms)
      expect((await read()).status).toBe(200)
      expect(asked()).toBe(expected)
    }
  })

  it('is asked again every ten seconds at most while the node fails', async () => {
    const { read, asked, fail } = await signedIn()
    fail()
    pass(30_000)
    for (const [ms, expected] of [
      [0, 2],
      [9_999, 2],
      [1, 3],
    ] as const) {
      pass(ms)
      expect((await read()).status).toBe(200)
      expect(asked()).toBe(expected)
    }
  })

  it('that revokes its signature is signed out with the next look at it', async () => {
    const { read, revoke } = await signedIn()
    revoke()
    pass(30_000)
    await read()
    expect(codeOf(await read())).toBe('auth_invalid')
  })
})
