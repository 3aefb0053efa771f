import { ed25519 } from '@noble/curves/ed25519'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { batchClosedEntry, batchOpenEntry } from '../../../../src/box-nft/log-entries.ts'
import { LogReader } from '../../../../src/cli/monitor/log-reader.ts'
import { reportLine } from '../../../../src/cli/monitor/monitor.ts'
import { inclusionOf } from '../../../../src/cli/monitor/proof.ts'
import type { MonitorState } from '../../../../src/cli/monitor/state.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'
import { fromBase64 } from '../../../../src/core/base64.ts'
import type { WholeRound } from '../../../../src/crash/disclosure.ts'
import { seedEntry, seedHashEntry } from '../../../../src/lootbox/log-entries.ts'
import { keyEntry } from '../../../../src/receipts/log-entries.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { isIncluded, leafHash, treeHash } from '../../../../src/transparency/merkle.ts'
import {
  cosignedText,
  parseVerifierKey,
  signatureLine,
  SIGNATURE_TYPE,
  signerKey,
  verifierKey,
  type VerifierKey,
} from '../../../../src/transparency/note.ts'
import { KEYS } from '../../support/receipts.ts'
import { COSIGNED } from '../../transparency/vectors.ts'
import { beaconRound, exported, House, playedRound, SITE } from './house.ts'
import { claimOf, kept, monitorOf } from './watching.ts'

const HASH = 'a1'.repeat(32)

let house: House

beforeEach(() => {
  house = new House()
  vi.stubGlobal('fetch', house.fetch)
})

const monitor = (state: MonitorState | null = null, witnesses: VerifierKey[] = []) =>
  monitorOf(house, { state, witnesses })

/** The claim that a look catches the house at; null if it catches nothing. */
const caught = (watching = monitor()) => claimOf(watching)

interface Witness {
  seed: Uint8Array
  key: VerifierKey
}

/** Adds a witness's cosignature to a checkpoint, as in https://c2sp.org/tlog-cosignature. */
function cosigned(checkpoint: string, { seed, key }: Witness): string {
  const time = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 9)
  const body = checkpoint.slice(0, checkpoint.indexOf('\n\n') + 1)
  const signed = ed25519.sign(utf8ToBytes(cosignedText(body, 9n)), seed)
  return `${checkpoint}${signatureLine({ ...key, signature: concatBytes(time, signed) })}`
}

const days = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => exported(from + at))

describe('the monitor of an honest house', () => {
  it('verifies a log from its beginning, whatever its length', async () => {
    const watching = monitor()
    let size = 0
    for (const count of [0, 1, 254, 1, 1, 300, 800]) {
      house.append(...days(size, count))
      size += count
      expect(await watching.look()).toMatchObject({ size, added: count })
    }
  })

  it('continues from what it remembers, and reads only what is new', async () => {
    house.append(...days(0, 600))
    const before = monitor()
    await before.look()
    const state = JSON.parse(JSON.stringify(before.state())) as MonitorState
    house.append(...days(600, 1))
    house.requests = []
    expect(await monitor(state).look()).toMatchObject({ size: 601, added: 1 })
    expect(house.requests).toEqual([
      '/log/checkpoint',
      '/log/tile/0/002.p/89',
      '/log/tile/entries/002.p/89',
    ])
  })

  it('accepts an older checkpoint from a cache', async () => {
    const watching = monitor()
    house.append(...days(0, 700))
    await watching.look()
    for (const size of [0, 1, 255, 256, 300, 512, 699]) {
      house.size = size
      expect(await watching.look()).toMatchObject({ size: 700, added: 0 })
    }
  })

  it('continues where a look was broken off', async () => {
    const watching = monitor()
    house.append(...days(0, 10))
    const broken = vi.fn(async (url: URL) => {
      if (url.pathname.includes('entries')) throw new TypeError('fetch failed')
      return house.fetch(url)
    })
    vi.stubGlobal('fetch', broken)
    await expect(watching.look()).rejects.toThrow(CommandError)
    vi.stubGlobal('fetch', house.fetch)
    expect(await watching.look()).toMatchObject({ size: 10, added: 10 })
  })

  it('verifies a round once it is disclosed', async () => {
    const { terms, plan, bets, end, whole } = playedRound()
    const watching = monitor()
    house.append(terms, plan)
    expect(await watching.look()).toMatchObject({ rounds: 0, undisclosed: 0 })
    house.append(bets, end)
    vi.setSystemTime(end.at + 1_000)
    expect(await watching.look()).toMatchObject({ rounds: 0, undisclosed: 1 })
    house.rounds.set('7', whole)
    expect(await monitor(watching.state()).look()).toMatchObject({ rounds: 1, undisclosed: 0 })
    vi.useRealTimers()
  })

  it('says which of the expected witnesses have cosigned the checkpoint', async () => {
    house.append(exported(1))
    const [one, other] = [3, 4].map((byte) => {
      const seed = new Uint8Array(32).fill(byte)
      const key = verifierKey(`witness-${byte}`, SIGNATURE_TYPE.witness, ed25519.getPublicKey(seed))
      return { seed, key }
    }) as [Witness, Witness]
    const watching = monitor(null, [one.key, other.key])
    expect(reportLine(await watching.look())).toContain('not cosigned by witness-3, witness-4')
    house.checkpoint = cosigned(house.signed(), one)
    const line = reportLine(await watching.look())
    expect(line).toMatch(/, cosigned by witness-3, not cosigned by witness-4$/)
    house.checkpoint = cosigned(house.signed(), { ...one, seed: other.seed })
    expect(await caught(watching)).toContain('its witnesses')
  })

  it('takes no answer for a proof', async () => {
    house.isDown = true
    await expect(monitor().look()).rejects.toThrow('does not answer')
  })
})

describe('the monitor catches a house', () => {
  /** The claim that is broken once a monitor has seen ten entries, and the house has changed. */
  async function afterTen(change: () => void): Promise<string | null> {
    const watching = monitor()
    house.append(...days(0, 10))
    expect(await caught(watching)).toBeNull()
    change()
    return caught(watching)
  }

  const GROWS = 'the log only ever grows, and shows everybody the same entries'
  const other = utf8ToBytes('{"at":1,"id":"other","kind":"export"}')

  it.each<[string, () => void]>([
    ['shows another log of the same size', () => (house.entries[3] = other)],
    [
      'rewrites an entry and goes on',
      () => ((house.entries[3] = other), house.append(exported(99))),
    ],
    ['drops an entry', () => house.entries.splice(3, 1)],
    [
      'drops an entry and goes on',
      () => (house.entries.splice(3, 1), house.append(...days(50, 5))),
    ],
  ])('that %s', async (_what, change) => {
    expect(await afterTen(change)).toBe(GROWS)
  })

  it('with both signed checkpoints as the proof', async () => {
    const watching = monitor()
    house.append(...days(0, 10))
    const earlier = house.signed()
    await watching.look()
    house.entries[3] = other
    const later = house.signed()
    await expect(watching.look()).rejects.toMatchObject({
      breach: { evidence: { earlier, later } },
    })
  })

  it('with proofs that the entries it names were signed', async () => {
    house.append(...days(0, 300), exported(3))
    const watching = monitor()
    expect(await caught(watching)).toBe('no two entries have the same kind and id')
    const reader = new LogReader(new URL(SITE))
    const evidence = { first: { index: 3 }, second: { index: 300, entry: { index: 'text' } } }
    const proofs = await inclusionOf(evidence, watching.size, reader)
    expect(proofs.map(({ index }) => index)).toEqual([3, 300])
    const leaves = house.entries.map(leafHash)
    const tree = { size: 301, root: treeHash(leaves) }
    for (const { index, proof } of proofs) {
      const path = proof.map((text) => fromBase64(text) as Uint8Array)
      expect(isIncluded({ index, leaf: leaves[index] as Uint8Array }, tree, path)).toBe(true)
    }
  })

  it('that serves other entries than it signed', async () => {
    house.append(...days(0, 10))
    house.leaves = house.entries.map(leafHash)
    house.entries[3] = other
    expect(await caught()).toBe('each entry is the one that was signed')
  })

  it('that logs a second entry of a kind and id', async () => {
    house.append(...days(0, 10), exported(3))
    expect(await caught()).toBe('no two entries have the same kind and id')
  })

  it('that logs something else than an entry', async () => {
    house.entries.push(utf8ToBytes('{"kind":"export","id":"1","at":1}'))
    expect(await caught()).toBe('each entry has the published form')
  })

  it('that signs with another key', async () => {
    const watching = monitor()
    house.key = signerKey('localhost:8787/log', new Uint8Array(32).fill(8))
    expect(await caught(watching)).toContain('the checkpoint is signed by localhost:8787/log')
  })

  it('whose witness has signed something else', async () => {
    const [witness] = COSIGNED.witnesses.map((text) => parseVerifierKey(text) as VerifierKey)
    const line = COSIGNED.checkpoint.split('\n').find((found) => found.includes('little-garden'))
    house.checkpoint = `${house.signed()}${line}\n`
    expect(await caught()).toBeNull()
    expect(await caught(monitor(null, witness ? [witness] : []))).toContain('is signed by')
  })

  describe('by a round', () => {
    const round = playedRound()
    const all = [round.plan, round.bets, round.end]
    const drand = beaconRound()
    const limitsWith = (change: object) => {
      const limits = round.plan['limits'] as Record<string, object>
      return { ...limits, ETH: { ...limits['ETH'], ...change } } as LogEntry[string]
    }
    const logged = (...entries: LogEntry[]) => caughtWith(entries, round.whole)
    const shown = (change: Partial<WholeRound>) => caughtWith(all, { ...round.whole, ...change })

    async function caughtWith(entries: LogEntry[], whole: WholeRound): Promise<string | null> {
      house.append(round.terms, round.drandTerms, ...entries)
      house.rounds.set('7', whole)
      return caught()
    }

    it('only if something is wrong', async () => {
      expect(await logged(...all)).toBeNull()
    })

    it.each<[string, LogEntry[], RegExp]>([
      ['without a plan', [round.bets], /each round is planned/],
      ['that ends twice', [...all, { ...round.end, kind: 'void' }], /each round is planned/],
      [
        'planned after its close',
        [{ ...round.plan, at: Number(round.plan['betsCloseAt']) }],
        /^it was planned, at .+ before its bets closed/,
      ],
      [
        'with another seed than it planned',
        [round.plan, round.bets, { ...round.end, seed: 'e5'.repeat(32) }],
        /the logged seed matches the planned hash/,
      ],
      [
        'whose bets were logged before the close',
        [round.plan, { ...round.bets, at: round.bets.at - 1 }],
        /its bets were logged after its plan/,
      ],
      [
        'whose bets were logged less than a second before its beacon was out',
        [drand.plan, { ...round.bets, at: drand.beaconAt - 999 }],
        /its bets were logged, at .+ before its beacon was published/,
      ],
      [
        'whose bets were fixed after their close',
        [round.plan, { ...round.bets, at: round.bets.at + 1 }],
        /its bets were fixed at their close/,
      ],
      [
        'whose bets close too late before its beacon',
        [{ ...drand.plan, betsCloseAt: drand.beaconAt - 1_499 }],
        /its bets closed, at .+, well before its beacon was published/,
      ],
      [
        'whose bets were logged after its end',
        [round.plan, round.end, round.bets],
        /its bets were logged before its end/,
      ],
      [
        'whose bets were never logged',
        [round.plan, round.end],
        /its bets were logged before its end/,
      ],
      [
        'that ends with other bets',
        [round.plan, round.bets, { ...round.end, betsRoot: 'e5'.repeat(32) }],
        /its bets were logged before its end, with the same root/,
      ],
      [
        'voided while its pepper could still come',
        [round.plan, round.bets, { ...round.end, kind: 'void' }],
        /only after its deadline for the pepper/,
      ],
      [
        'planned to wait for its pepper for longer than every other one',
        [{ ...round.plan, voidAt: Number(round.plan['voidAt']) + 1 }],
        /was planned 60 seconds after its close/,
      ],
      [
        'planned to take off only at its deadline for the pepper',
        [{ ...round.plan, flightAt: Number(round.plan['voidAt']) }],
        /and its take-off in between/,
      ],
      [
        'settled long after its deadline for the pepper',
        [round.plan, round.bets, { ...round.end, takeoffAt: Number(round.plan['voidAt']) }],
        /before its deadline for the pepper/,
      ],
      [
        'planned by terms that the log does not have',
        [{ ...round.plan, terms: HASH }],
        /its terms were logged before its plan/,
      ],
      [
        'planned with another edge than its terms',
        [{ ...round.plan, edgeBps: Number(round.plan['edgeBps']) + 1 }],
        /its plan has the edge, the limits/,
      ],
      [
        'planned with lower limits than its terms',
        [{ ...round.plan, limits: limitsWith({ maxPayout: '1' }) }],
        /its plan has the edge, the limits/,
      ],
      [
        'planned with another kind of pepper than its terms',
        [{ ...round.plan, terms: round.drandTerms.id }],
        /its plan has the edge, the limits/,
      ],
      ['whose entries lack their fields', [{ kind: 'plan', id: '7', at: 1 }, round.bets], /./],
    ])('%s', async (_what, entries, claim) => {
      expect(await logged(...entries)).toMatch(claim)
    })

    const bets = round.whole.bets

    it.each<[string, Partial<WholeRound>, RegExp]>([
      ['another crash point', { crash: 2.99 }, /its end is the logged one/],
      ['another seed', { seed: 'e5'.repeat(32) }, /its end is the logged one/],
      ['another plan', { edgeBps: 100 }, /its plan is the logged one/],
      ['another close', { betsCloseAt: 1 }, /its plan is the logged one/],
      ['a dropped bet', { bets: bets.slice(1) }, /bets are the ones fixed at the close/],
      ['a dropped bet and its own root', { betsRoot: '00'.repeat(32) }, /whose root was logged/],
      [
        'a phantom bet',
        { bets: [...bets, { ...bets[0], n: 3 } as (typeof bets)[0]], betCount: 4 },
        /whose root was logged/,
      ],
      [
        'a shortened payout',
        { bets: bets.map((bet) => ({ ...bet, payout: bet.payout === '0' ? '0' : '1' })) },
        /each bet ended as/,
      ],
      ['nothing that is a round', { bets: [null as never] }, /published form/],
    ])('disclosed with %s', async (_what, change, claim) => {
      expect(await shown(change)).toMatch(claim)
    })

    it('that stays hidden for ten minutes and three looks, however old it is', async () => {
      house.append(round.terms, ...all)
      const asked = (minutes: number) => vi.setSystemTime(round.end.at + minutes * 60_000)
      asked(60)
      const watching = monitor()
      expect(await caught(watching)).toBeNull()
      asked(69)
      const again = monitor(kept(watching))
      expect(await caught(again)).toBeNull()
      asked(70)
      expect(await caught(again)).toBe('each ended round is disclosed')
      vi.useRealTimers()
    })
  })

  it.each<[string, LogEntry, LogEntry]>([
    [
      'seeds 2026-11-22',
      seedHashEntry({ day: '2026-11-22', seedHash: HASH, pepperHash: HASH, committedAt: 1 }),
      seedEntry('2026-11-22', 'b2'.repeat(32), 2),
    ],
    ['batch 1', batchOpenEntry(1, HASH, 1), batchClosedEntry(1, 'b2'.repeat(32), 2)],
  ])('whose secret of %s is not the one it had committed to', async (name, hash, secret) => {
    const claim = `the secret of ${name} matches its logged hash`
    house.append(hash)
    expect(await caught()).toBeNull()
    house.append(secret)
    expect(await caught()).toBe(claim)
    house = new House().append(secret)
    vi.stubGlobal('fetch', house.fetch)
    expect(await caught()).toBe(claim)
  })

  it('by a round that never ends, once ten minutes have passed since the log came so far', async () => {
    const { terms, plan, bets, end } = playedRound()
    const watching = monitor()
    vi.setSystemTime(end.at + 3_700_000)
    house.append(terms, plan, bets, { kind: 'export', id: 'x', at: end.at + 3_700_000 })
    expect(await caught(watching)).toBeNull()
    vi.setSystemTime(end.at + 4_400_000)
    house.append({ kind: 'export', id: 'y', at: end.at + 4_400_000 })
    expect(await caught(watching)).toBe('each round is planned, and ends or is voided')
    vi.useRealTimers()
  })

  it('that logs an entry from the future', async () => {
    vi.setSystemTime(exported(0).at - 4_999)
    house.append(exported(0))
    expect(await caught()).toBeNull()
    vi.setSystemTime(exported(0).at - 5_000)
    expect(await caught()).toBe('no entry is dated later than it is shown')
    vi.useRealTimers()
  })

  it('whose terms are not those that it names', async () => {
    house.append({ kind: 'terms', id: 'a1'.repeat(32), at: 1, terms: { edgeBps: 100 } })
    expect(await caught()).toBe('terms are named by their sha256')
  })

  it('that logs a key under the name of another one', async () => {
    const [key, another] = KEYS.map((each) => keyEntry(each, 1)) as [LogEntry, LogEntry]
    house.append(key)
    expect(await caught()).toBeNull()
    house.append({ ...another, key: key['key']! })
    expect(await caught()).toBe('each key of receipts has its thumbprint as its id')
  })

  it.each([null, 5, 'key', { x: 'AAAA' }])('that logs %j as a key', async (key) => {
    house.append({ kind: 'key', id: KEYS[0]!.kid, at: 1, key })
    expect(await caught()).toBe('each key of receipts has its thumbprint as its id')
  })
})
