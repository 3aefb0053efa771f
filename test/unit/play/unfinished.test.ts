import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Unfinished } from '../../../src/play/unfinished.ts'
import { inBrowser } from './in-browser.ts'

beforeEach(() => void inBrowser())
afterEach(() => void vi.unstubAllGlobals())

it('a payment that another tab keeps survives the end of the one before it', () => {
  const here = new Unfinished<{ txHash: string }>('payment')
  const otherTab = new Unfinished<{ txHash: string }>('payment')
  here.write('0x1', { txHash: '0xaa' })
  otherTab.write('0x1', { txHash: '0xbb' })
  here.drop('0x1', { txHash: '0xaa' })
  expect(otherTab.read('0x1')).toEqual({ txHash: '0xbb' })
  otherTab.drop('0x1', { txHash: '0xbb' })
  expect(otherTab.read('0x1')).toBeNull()
})
