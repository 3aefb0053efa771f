import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import {
  houseActHash,
  houseClosure,
  MAX_CLOSED_ADS,
  MAX_CLOSED_WALLETS,
  MAX_OF_OPERATORS,
  settingsOf,
} from '../../../../durable-objects/control/settings.ts'
import { switchNames } from '../../../../durable-objects/control/switches.ts'
import type { PartnerConfig } from '../../../../src/config/config.ts'
import { loadConfig } from '../../../../src/config/load.ts'
import type { Mode, Modes } from '../../../../src/operator/modes.ts'
import { nextVersion, versionEntry } from '../../../../src/operator/versions.ts'
import { entryText, MAX_ENTRY_BYTES } from '../../../../src/transparency/entry.ts'
import { walletAt } from '../../../shared/wallets.ts'

const everything: object = unstable_readConfig({ config: 'wrangler.toml' }).vars
const config = loadConfig(everything as Env)

const closed = (count: number): Modes =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wallet:${walletAt(at)}`, 'closed']))

const closedAds = (count: number): Modes =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`ad:${numberToHex(at, { size: 32 })}`, 'closed']),
  )

/** Orders switches by their target. */
const order = (target: string, current: Modes) =>
  settingsOf({ act: 'mode', target, reason: 'a story', expiresAt: 0 }, config, current)

it('a version with the most wallets and ads, every switch and all terms takes less than a third of an entry of the log', () => {
  const amount = '9'.repeat(78)
  const limits = { min: amount, max: amount, maxPayout: amount, maxRoundPayout: amount }
  const partners = new Map(
    Array.from({ length: 50 }, (_, at) => [`p${at}`.padEnd(32, '-'), {} as PartnerConfig]),
  )
  const closable = { ...closed(MAX_CLOSED_WALLETS), ...closedAds(MAX_CLOSED_ADS) }
  const names = [...switchNames({ partners }, {}), ...Object.keys(closable)]
  const version = nextVersion(
    null,
    {
      modes: Object.fromEntries(names.map((name): [string, Mode] => [name, 'draining'])),
      terms: {
        'crash.edgeBps': 5_000,
        'entropy.edgeBps': 5_000,
        autoplay: false,
        minPlayMs: 60_000,
        'crash.limits.ETH': limits,
        'crash.limits.USDG': limits,
        'entropy.limits.ETH': limits,
        'entropy.limits.USDG': limits,
      },
    },
    Number.MAX_SAFE_INTEGER - 1_000_000,
  )
  const { length } = entryText(versionEntry(version, houseActHash('any')))
  expect(length).toBeLessThan(MAX_ENTRY_BYTES / 3)
})

it('operators can close wallets up to a bound, and other switches beyond it', () => {
  const full = closed(MAX_OF_OPERATORS)
  const another = `wallet:${walletAt(MAX_OF_OPERATORS)}`
  expect(order(`${another}=closed`, closed(MAX_OF_OPERATORS - 1))).toEqual({
    modes: { [another]: 'closed' },
  })
  for (const mode of ['closed', 'draining']) {
    expect(order(`${another}=${mode}`, full)).toContain('At most 100 wallets')
    expect(order(`withdrawals=closed,${another}=${mode}`, full)).toContain('At most 100 wallets')
  }
  expect(order('all=closed,withdrawals=closed', closed(MAX_CLOSED_WALLETS))).toBeTypeOf('object')
})

it('operators can close advertisements up to a bound, and open some to close others', () => {
  const ad = `ad:${numberToHex(MAX_CLOSED_ADS, { size: 32 })}`
  const full = closedAds(MAX_CLOSED_ADS)
  expect(order(`${ad}=closed`, closedAds(MAX_CLOSED_ADS - 1))).toEqual({
    modes: { [ad]: 'closed' },
  })
  expect(order(`${ad}=closed`, full)).toContain('At most 50 advertisements')
  const [first] = Object.keys(full)
  expect(order(`${first}=open,${ad}=closed`, full)).toBeTypeOf('object')
  expect(order('crash=closed', full)).toBeTypeOf('object')
})

it('wallets can be opened and exchanged, however many the house has closed', () => {
  const many = closed(MAX_OF_OPERATORS + 10)
  const [first, another] = [`wallet:${walletAt(0)}`, `wallet:${walletAt(MAX_OF_OPERATORS + 10)}`]
  expect(order(`${first}=open`, many)).toEqual({ modes: { [first]: 'open' } })
  expect(order(`${first}=open,${another}=closed`, many)).toBeTypeOf('object')
  expect(order(`${first}=closed`, many)).toBeTypeOf('object')
})

it('the house closes wallets beyond the bound of operators, and then everything', () => {
  const wallet = walletAt(MAX_CLOSED_WALLETS)
  expect(houseClosure(wallet, closed(MAX_CLOSED_WALLETS - 1))).toBe(`wallet:${wallet}=closed`)
  expect(houseClosure(wallet, closed(MAX_CLOSED_WALLETS))).toBe('all=closed,withdrawals=closed')
  // One that is closed already takes no more room.
  expect(houseClosure(walletAt(0), closed(MAX_CLOSED_WALLETS))).toBe(`wallet:${walletAt(0)}=closed`)
})
