import { describe, expect, it, vi } from 'vitest'
import { get, now, Player, setTime, useStories } from './support.ts'

useStories()

const DAY_MS = 86_400_000

async function stateWith(wallet: string, authSig: string) {
  const { status, body } = await get(`/api/crash?wallet=${wallet}&authSig=${authSig}`)
  return status === 200 ? 'accepted' : body.error.code
}

describe('the sign-in signature', () => {
  it('lasts from the day it was made to the end of the next', async () => {
    const alice = new Player(0)
    const midnight = Math.ceil(now() / DAY_MS) * DAY_MS
    setTime(midnight)
    const authSig = await alice.authSig()
    for (const at of [
      midnight,
      midnight + DAY_MS - 1,
      midnight + DAY_MS,
      midnight + 2 * DAY_MS - 1,
    ]) {
      setTime(at)
      expect(await stateWith(alice.wallet, authSig)).toBe('accepted')
    }
    setTime(midnight + 2 * DAY_MS)
    expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
    setTime(midnight - 1)
    expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
  })

  it('is asked for where it is missing, and refused where it is anything else', async () => {
    const alice = new Player(0)
    const authSig = await alice.authSig()
    const flipped = authSig.replace(/.$/, (digit) => (digit === 'b' ? 'c' : 'b'))
    const cases: [string, string, string][] = [
      ['', authSig, 'auth_required'],
      [alice.wallet, '', 'auth_required'],
      [alice.wallet, 'nonsense', 'auth_invalid'],
      [alice.wallet, '0x', 'auth_invalid'],
      [alice.wallet, authSig.slice(0, -2), 'auth_invalid'],
      [alice.wallet, `${authSig}00`, 'auth_invalid'],
      [alice.wallet, flipped, 'auth_invalid'],
      [alice.wallet, `0x${'00'.repeat(65)}`, 'auth_invalid'],
      [alice.wallet, `0x${'ff'.repeat(65)}`, 'auth_invalid'],
      [alice.wallet, `0x${'ab'.repeat(5_000)}`, 'auth_invalid'],
      [new Player(1).wallet, authSig, 'auth_invalid'],
      ['0x1234', authSig, 'invalid_request'],
      [alice.wallet.replace('f', 'F'), authSig, 'invalid_request'],
    ]
    for (const [wallet, signature, code] of cases) {
      expect([wallet, signature.slice(0, 20), await stateWith(wallet, signature)]).toEqual([
        wallet,
        signature.slice(0, 20),
        code,
      ])
    }
  })

  it('is not of another message, however much alike', async () => {
    const alice = new Player(0)
    const { message } = (await get(`/api/auth/message?wallet=${alice.wallet}`)).body
    for (const altered of [
      message.replace('localhost', 'evil.test'),
      `${message}\n`,
      message.replaceAll('\n', '\r\n'),
    ]) {
      const authSig = await alice.account.signMessage({ message: altered })
      expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
    }
  })

  it('works for a wallet in any letter case, answered in EIP-55 form', async () => {
    const alice = new Player(0)
    const authSig = await alice.authSig()
    for (const wallet of [alice.wallet.toLowerCase(), `0x${alice.wallet.slice(2).toUpperCase()}`]) {
      expect(await stateWith(wallet, authSig)).toBe('accepted')
    }
    const { message } = (await get(`/api/auth/message?wallet=${alice.wallet.toLowerCase()}`)).body
    expect(message).toContain(`\n${alice.wallet}\n`)
  })

  it('is taken with v as 0 or 1 too', async () => {
    const alice = new Player(0)
    const authSig = await alice.authSig()
    const v = Number.parseInt(authSig.slice(-2), 16) - 27
    expect(await stateWith(alice.wallet, `${authSig.slice(0, -2)}0${v}`)).toBe('accepted')
  })

  it('never appears in a log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = new Player(0)
    const authSig = await alice.authSig()
    await get(`/api/crash?wallet=${alice.wallet}&authSig=${authSig}00`)
    await get(`/api/crash?wallet=${alice.wallet}&authSig=${authSig}`)
    expect(JSON.stringify(logged.mock.calls)).not.toContain(authSig)
  })
})
