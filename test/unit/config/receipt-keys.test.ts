import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { newReceiptKeys } from '../../../src/cli/shared/receipt-keys.ts'
import { loadConfig } from '../../../src/config/load.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml' })

interface Key {
  x: string
  nbf: number
  exp?: number
}

function newKey(times: Partial<Key> = {}): Key {
  const { keys } = JSON.parse(newReceiptKeys()) as { keys: [Key] }
  return { ...keys[0], ...times }
}

function withKeys(...keys: Key[]) {
  const everything: object = { ...vars, RECEIPT_KEYS: JSON.stringify({ keys }) }
  return loadConfig(everything as Env).receiptKeys
}

const S = Math.floor(Date.now() / 1_000)

describe('the keys of receipts', () => {
  it('are one that signs, and old ones', () => {
    expect(withKeys(newKey())).toHaveLength(1)
    expect(withKeys(newKey({ nbf: S + 3_600 }), newKey({ exp: S + 7_200 }))).toHaveLength(2)
  })

  it('are refused with a time in milliseconds, before which a key would sign unknown', () => {
    expect(() => withKeys(newKey({ nbf: S * 1_000 }))).toThrow('must be a time in unix seconds')
    expect(() => withKeys(newKey(), newKey({ exp: S * 1_000 }))).toThrow('in unix seconds')
  })

  it('are refused with the same one twice', () => {
    const key = newKey()
    expect(() => withKeys(key, { ...key, exp: S })).toThrow('must have each key once')
  })
})
