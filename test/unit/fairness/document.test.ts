import { readFileSync } from 'node:fs'
import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { crashPointOf } from '../../../src/crash/crash-point.ts'
import { QUICKNET } from '../../../src/fairness/drand.ts'
import { commitmentOf, first52Bits, hmacOf } from '../../../src/fairness/seed.ts'
import { limboResult } from '../../../src/games/limbo/rule.ts'

const page = readFileSync(new URL('../../../reference/fairness.md', import.meta.url), 'utf8')

/** The rows of the worked-example tables, in order: each name with its documented value. */
function example(heading: string): (name: string) => string {
  const [, section = ''] = page.split(heading)
  const [, table = ''] = section.split('#### A worked example')
  const rows = [...table.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm)]
  return (name) => {
    const row = rows.find(([, label]) => label?.split(/[ ,]/)[0] === name)
    if (!row) throw new Error(`${heading} has no row "${name}"`)
    return row[2]?.replaceAll(/[`*]/g, '') ?? ''
  }
}

describe('a worked example of reference/fairness.md', () => {
  it('for crash matches the rules', () => {
    const told = example('\n## Crash\n')
    const round = {
      roundId: Number(told('round')),
      seed: told('seed'),
      pepper: told('pepper'),
      edgeBps: 100,
    }
    const digest = hmacOf(round.seed, `crash:${round.roundId}:${round.pepper}`)
    const r = first52Bits(digest)
    expect(told('seedHash')).toBe(commitmentOf(round.seed))
    expect(told('h')).toBe(bytesToHex(digest))
    expect(told('r')).toBe(String(r))
    expect(told('9900')).toBe(`${(9_900n * 2n ** 52n) / (2n ** 52n - r)}.…`)
    expect(told('crash')).toBe((crashPointOf(round) / 100).toFixed(2))
  })

  it('for limbo matches the rules', () => {
    const told = example('\n## Mines, limbo, plinko and keno\n')
    const [clientSeed = '', nonce = ''] = told('client').split(', ')
    const message = utf8ToBytes(`${clientSeed}:${nonce}:0`)
    const block = hmac(sha256, utf8ToBytes(told('seed')), message)
    const r = first52Bits(block)
    const thousandths = (9_900n * 2n ** 52n * 1_000n) / ((r + 1n) * 100n)
    expect(told('seedHash')).toBe(commitmentOf(told('seed')))
    expect(told('block')).toBe(bytesToHex(block))
    expect(told('r')).toBe(String(r))
    expect(told('9900')).toBe(`${thousandths / 1_000n}.${thousandths % 1_000n}… hundredths`)
    expect(told('result')).toBe((limboResult(r, 100) / 100).toFixed(2))
  })
})

it('reference/fairness.md names the beacon that the verifier takes', () => {
  const { chainHash, publicKey } = QUICKNET
  const [, section = ''] = page.split('\n### The beacon\n')
  expect(section).toContain(`\`${chainHash}\``)
  expect(section.split('```')[1]?.replaceAll('\n', '')).toBe(publicKey)
})
