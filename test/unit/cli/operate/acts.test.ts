import { stripVTControlCharacters } from 'node:util'
import { zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { actHash } from '../../../../src/chain/operator-act.ts'
import { confirmAct, submitAct } from '../../../../src/cli/operate/acts.ts'
import { usageOf, type Options } from '../../../../src/cli/operate/options.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { devOperator } from '../../../../src/cli/shared/dev-players.ts'
import type { Act } from '../../../../src/operator/act.ts'

const SITE = 'http://localhost:8787'
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SCOPE = { site: SITE, chainId: 31_337, verifyingContract: zeroAddress } as const

let printed: string[] = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
})
afterEach(() => vi.restoreAllMocks())

/** Has a service answer at which an act of the treasurer waits. Returns the acts that are sent to it. */
function serviceWith(act: Act) {
  const hash = actHash(SCOPE, act)
  const approvals = [{ operator: devOperator('treasurer').address, role: 'treasurer', at: 0 }]
  const kept = { ...act, hash, approvals, decidedAt: null, result: null }
  const sent: object[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.method === 'POST') {
      sent.push(await request.json())
      const result = { isDone: true, message: 'Done.\u001B[2K' }
      return Response.json({ ok: true, act: { ...kept, decidedAt: 1, result } })
    }
    const message = 'localhost:8787 wants you to sign in'
    return request.url.includes('sign-in')
      ? Response.json({ ok: true, message, issuedAt: 0, expiresAt: 0, scope: SCOPE })
      : Response.json({ ok: true, acts: { waiting: [kept], decided: [] } })
  })
  return { hash, sent }
}

const optionsOf = (hash: string, more: Partial<Options> = {}) =>
  ({ as: 'admin', positionals: ['confirm', hash], print: false, yes: false, ...more }) as Options

const client = new Client(SITE)

describe('npm run operate with a mistake', () => {
  const ordered = (...positionals: string[]) =>
    submitAct(client, { positionals } as Partial<Options> as Options)

  it.each([
    ['mode', 'crash', 'switches, each with open, draining or closed, such as crash=closed'],
    ['terms', 'crash.edgeBps=150', `JSON in quotes, such as '{"crash.edgeBps": 150}'`],
    ['reproject', 'books', 'positions, everything or the books of a day, such as books:2026-'],
    ['restore', `${WALLET}@yesterday`, 'a wallet, with a time or without one, such as 0x…@2026'],
    ['release-withdrawal', WALLET, 'a wallet and the nonce of its withdrawal, such as 0x…:3'],
    ['freeze', '', 'a wallet: 0x and 40 hex digits'],
    ['freeze', `${WALLET.slice(0, -1)}1`, 'a wallet: 0x and 40 hex digits, in mixed case with its'],
  ])('says what the target of %s must be, and shows its usage', async (act, target, form) => {
    await expect(ordered(act, target)).rejects.toMatchObject({
      message: expect.stringContaining(`The target of ${act} must be ${form}`),
      usage: usageOf(act),
    })
  })

  it('shows the usage of the command as it was typed if the reason is missing', async () => {
    await expect(ordered('drain')).rejects.toMatchObject({
      message: expect.stringContaining('--reason is missing'),
      usage: expect.stringContaining('\n  drain  '),
    })
  })

  it.each([
    [[], 'The command is missing. The commands are status, acts, journal'],
    [['frieze'], 'frieze is not a known command. The commands are status, acts, journal'],
  ])('names the commands: %j', async (positionals, message) => {
    await expect(ordered(...positionals)).rejects.toThrow(message)
  })
})

describe('the usage of a command', () => {
  it('has its own lines only, and how to see the others', () => {
    expect(
      usageOf('restore')
        .split('\n')
        .map((line) => line.trim().slice(0, 36)),
    ).toEqual([
      'Usage:',
      'restore 0x…@2026-11-22T10:00:00Z',
      '(treasurer) have the ledger of a clo',
      'objects know; without a time if it h',
      'All commands and options: npm run op',
    ])
    expect(usageOf('verify')).not.toContain('verify-all')
  })

  it('is how to use any of them if it is unknown', () => {
    expect(usageOf('frieze')).toMatch(
      /^Usage: .* COMMAND \[TARGET\] .*\nAll commands and options: .*$/,
    )
  })
})

const ACT: Act = { act: 'unfreeze', target: WALLET, reason: 'A mistake.', expiresAt: 2_000_000_000 }

describe('npm run operate -- confirm', () => {
  it('shows the act, and signs it once the operator has said yes', async () => {
    const { hash, sent } = serviceWith(ACT)
    const isMeant = vi.fn(async () => {
      expect(printed.map(stripVTControlCharacters)[0]).toBe(`  unfreeze ${WALLET}: A mistake.`)
      expect(sent).toEqual([])
      return true
    })
    expect(await confirmAct(client, optionsOf(hash), isMeant)).toBe(0)
    expect(isMeant).toHaveBeenCalledTimes(1)
    expect(sent).toMatchObject([{ ...ACT, operator: devOperator('admin').address }])
  })

  it('signs nothing if the operator says no, and fails', async () => {
    const { hash, sent } = serviceWith(ACT)
    expect(await confirmAct(client, optionsOf(hash), async () => false)).toBe(1)
    expect(sent).toEqual([])
    expect(printed.at(-1)).toContain('Not signed.')
  })

  it.each([
    ['with --yes', { yes: true }, 1],
    ['for a signature that was made elsewhere', { operator: WALLET, signature: '0x12' }, 1],
    ['to print what is to be signed', { print: true }, 0],
  ] as const)('asks nothing %s', async (_what, more, count) => {
    const { hash, sent } = serviceWith(ACT)
    const isMeant = vi.fn(async () => true)
    expect(await confirmAct(client, optionsOf(hash, more), isMeant)).toBe(0)
    expect(isMeant).not.toHaveBeenCalled()
    expect(sent).toHaveLength(count)
  })

  it('prints an act for another wallet, and sends its signature, with the key of the operator who has signed', async () => {
    const { hash, sent } = serviceWith(ACT)
    const proposer = { as: 'treasurer' }
    expect(await confirmAct(client, optionsOf(hash, { ...proposer, print: true }))).toBe(0)
    const { message } = JSON.parse(printed.at(-1) ?? '') as { message: object }
    expect(message).toMatchObject({ target: WALLET, reason: ACT.reason })
    const signed = { operator: WALLET, signature: '0x12' }
    expect(await confirmAct(client, optionsOf(hash, { ...proposer, ...signed }))).toBe(0)
    expect(sent).toMatchObject([{ ...ACT, ...signed }])
  })

  it.each([
    ['here', { as: 'treasurer', yes: true }],
    ['elsewhere', { operator: devOperator('treasurer').address, signature: '0x12' }],
  ])('refuses a second signature of the same operator, made %s', async (_where, more) => {
    const { hash, sent } = serviceWith(ACT)
    await expect(confirmAct(client, optionsOf(hash, more))).rejects.toThrow(
      `${devOperator('treasurer').address} has signed this act.`,
    )
    expect(sent).toEqual([])
  })

  it('can’t be made to show another act by what the first operator or the service has written', async () => {
    const reason = `\u001B[2K\r  freeze ${WALLET}: stolen key\u202E`
    const { hash, sent } = serviceWith({ ...ACT, reason })
    expect(await confirmAct(client, optionsOf(hash), async () => true)).toBe(0)
    expect(printed.map(stripVTControlCharacters)[0]).toBe(
      `  unfreeze ${WALLET}: \\u{1b}[2K\\u{d}  freeze ${WALLET}: stolen key\\u{202e}`,
    )
    expect(printed.at(-1)).toBe(String.raw`Done.\u{1b}[2K`)
    // What is signed is the act itself, whose hash would be another one otherwise.
    expect(sent).toMatchObject([{ reason }])
  })
})
