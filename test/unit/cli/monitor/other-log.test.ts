import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LogReader } from '../../../../src/cli/monitor/log-reader.ts'
import { Caught, Monitor } from '../../../../src/cli/monitor/monitor.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { SiteLog } from '../../../../src/cli/verify/site-log.ts'
import { seedEntry } from '../../../../src/lootbox/log-entries.ts'
import { logOrigin } from '../../../../src/transparency/checkpoint.ts'
import { signerKey, writeVerifierKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { exported, House, playedRound, SITE } from './house.ts'

let house: House

beforeEach(() => {
  house = new House()
  vi.stubGlobal('fetch', house.fetch)
})

/** Has the house show another log from now on, which says how far the first one went. */
function replaceLog(checkpoint: string | null): House {
  const next = new House()
  next.key = signerKey(logOrigin(SITE, 2), new Uint8Array(32).fill(9))
  next.append(predecessorEntry(house.key.verifier.name, checkpoint, exported(0).at))
  vi.stubGlobal('fetch', next.fetch)
  return next
}

function monitor({ key } = house): Monitor {
  const site = { reader: new LogReader(new URL(SITE)), client: new Client(SITE) }
  return new Monitor(site, { key: key.verifier, witnesses: [] }, null)
}

async function breachOf(watching: Monitor) {
  const fault: unknown = await watching.look().catch((thrown: unknown) => thrown)
  if (fault instanceof Caught) return fault.breach
  throw new Error('nothing was caught', { cause: fault })
}

const days = (count: number) => Array.from({ length: count }, (_, day) => exported(day))

describe('a site that begins another log', () => {
  it('is caught by a monitor of the first one, which names both and keeps what it has seen', async () => {
    house.append(...days(5))
    const watching = monitor()
    const kept = house.signed()
    await watching.look()
    house.append(...days(7).slice(5))
    await watching.look()
    const last = house.signed()
    const next = replaceLog(kept)
    const { claim, finding, evidence } = await breachOf(watching)
    expect(claim).toContain('is signed by localhost:8787/log')
    expect(finding).toContain('another log, localhost:8787/log/2')
    expect(finding).toContain('succeeds localhost:8787/log after 5 entries; you have seen 7')
    expect(finding).toContain(`--key ${writeVerifierKey(next.key.verifier)}`)
    expect(evidence).toMatchObject({ last, checkpoint: next.signed(), first: { kind: 'log' } })
  })

  it('is caught with another log that does not name the first one', async () => {
    house.append(...days(5))
    const watching = monitor()
    await watching.look()
    const next = replaceLog(null)
    next.entries = []
    next.append(...days(1))
    expect((await breachOf(watching)).finding).toContain('does not say that it succeeds')
  })

  it('is rejected by verify if the key it was given is that of the first log', async () => {
    replaceLog(null)
    await expect(SiteLog.open(new URL(SITE), house.key.verifier)).rejects.toThrow(
      'the site now shows the log localhost:8787/log/2, which is another one',
    )
  })
})

describe('a monitor of a log that succeeds another one', () => {
  const played = playedRound()
  const seedOf = (day: string) => seedEntry(day, 'ab'.repeat(32), exported(0).at)

  it('passes over rounds and seeds that were committed to in the other', async () => {
    const next = replaceLog(null)
    const day = new Date(exported(0).at).toISOString().slice(0, 10)
    next.append(played.bets, played.end, seedOf(day))
    const look = await monitor(next).look()
    expect(look).toMatchObject({ size: 4, added: 4 })
    // Tiles are cached forever, so the two logs share none.
    const tiles = next.requests.filter((path) => path.includes('tile'))
    expect(tiles.every((path) => path.startsWith('/log/2/tile/'))).toBe(true)
  })

  it('knows no such excuse for what it has planned itself, or for later days', async () => {
    const next = replaceLog(null)
    next.append(played.terms, played.plan, { ...played.end, id: String(Number(played.end.id) + 1) })
    expect((await breachOf(monitor(next))).claim).toBe('each round is planned before it is played')
    const other = replaceLog(null)
    other.append(seedOf('2090-01-01'))
    expect((await breachOf(monitor(other))).claim).toContain('matches its logged hash')
  })

  it('catches a log that names a predecessor later on', async () => {
    house.append(...days(1), predecessorEntry('localhost:8787/log', null, exported(0).at))
    house.append(played.end)
    expect((await breachOf(monitor())).claim).toBe(
      'only the first entry of a log names a predecessor',
    )
  })
})
