import { isAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { isTargetOf, type ActName } from '../../../src/operator/act.ts'
import { account } from '../../shared/mnemonic.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const MISTYPED = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92261'

/** Each act on a wallet, with what follows the wallet in its target. */
const ON_WALLETS: [ActName, string][] = [
  ['freeze', ''],
  ['unfreeze', ''],
  ['write-off', ''],
  ['restore', ''],
  ['restore', '@2026-11-22T10:00:00Z'],
  ['confirm-withdrawal', ':3'],
  ['release-withdrawal', ':3'],
]

describe('the target of an act', () => {
  it.each(ON_WALLETS)('%s WALLET%s is a wallet without a typing error', (act, rest) => {
    expect(isTargetOf(act, WALLET + rest)).toBe(true)
    expect(isTargetOf(act, WALLET.toLowerCase() + rest)).toBe(true)
    expect(isTargetOf(act, `0x${WALLET.slice(2).toUpperCase()}${rest}`)).toBe(true)
    expect(isTargetOf(act, MISTYPED + rest)).toBe(false)
  })

  it('can be the house, which has no checksum', () => {
    expect(isTargetOf('write-off', 'house')).toBe(true)
  })

  it('is a wallet by the same checksum as everywhere else', () => {
    for (let index = 0; index < 20; index++) {
      const { address } = account(index)
      for (const swapped of [2, 7, 12, 41]) {
        const digit = address.charAt(swapped)
        const other = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
        const typed = address.slice(0, swapped) + other + address.slice(swapped + 1)
        expect(isTargetOf('freeze', typed)).toBe(isAddress(typed))
      }
    }
  })
})
