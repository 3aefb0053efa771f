import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const BET = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }

let sounds: string[]

beforeEach(() => {
  inBrowser()
  sounds = []
  vi.doMock('../../../../src/play/chime.ts', () => ({ chime: (kind: string) => sounds.push(kind) }))
})

afterEach(() => {
  vi.doUnmock('../../../../src/play/chime.ts')
  vi.unstubAllGlobals()
})

it.each([
  ['win', 1.01, '101'],
  ['loss', 1, '100'],
])('sounds like a %s at %fx', async (sound, multiplier, payout) => {
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const { cashOut, hand } = await import('../../../../src/play/crash/hand.ts')
  const me = { chips: { ETH: '900', USDG: '0' }, openBet: BET } as Partial<Me> as Me
  const paid = { ok: true, roundId: 7, multiplier, payout, me: { ...me, openBet: null } }
  vi.stubGlobal('fetch', async () => Response.json(paid))
  session.patch({ player: { wallet: WALLET, authSig: '0x' }, me })
  live.patch({ table: { roundId: 7, phase: 'flight', multiplier: 1 } as TableState })
  await cashOut()
  expect(hand.value.result).toMatchObject({ kind: 'won', amountWei: '100', payoutWei: payout })
  expect(sounds).toEqual([sound])
})
