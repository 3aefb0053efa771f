import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { FileWriter } from '../../durable-objects/exporter/file.ts'
import { ExporterStore } from '../../durable-objects/exporter/store.ts'
import { crashRound, exporter, transparencyLog } from '../../src/calls/objects.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { manifestName, objectKey } from '../../src/exports/manifest.ts'
import { Exporter, Ledger } from '../../src/worker.ts'
import {
  fetchFile,
  manifestOf,
  rowsOf,
  ring,
  ringInVain,
  forgetExports,
  loseRound,
  passDay,
  settle,
  history,
} from './exported-days.ts'
import { expectOneCall } from './one-call.ts'
import { SELECTIONS } from './plays.ts'
import { codeOf, fundedPlayer, get, now, pass, post, setTime, useStories } from './support.ts'

useStories()

describe('the files of a closed day', () => {
  it('are public, cached, and served in parts and under conditions', async () => {
    await history()
    const day = passDay()
    await ring()
    const path = `/exports/v1/plays/${day}.jsonl.gz`
    const whole = await fetchFile(path)
    expect(whole.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bytes = new Uint8Array(await whole.arrayBuffer())
    const etag = whole.headers.get('etag') ?? ''
    const same = await fetchFile(path, { 'if-none-match': etag })
    const other = await fetchFile(path, { 'if-match': '"another"' })
    expect([same.status, other.status]).toEqual([304, 412])
    expect(other.headers.get('cache-control')).toBe('no-store')
    for (const { headers } of [whole, same, other]) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    const part = await fetchFile(path, { range: 'bytes=2-5' })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 2-5/${bytes.length}`,
    ])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(2, 6))
    const end = await fetchFile(path, { range: 'bytes=-4' })
    expect(new Uint8Array(await end.arrayBuffer())).toEqual(bytes.slice(-4))
    for (const range of ['bytes=0-', 'bytes=99999999-', 'lines=1-2']) {
      const answer = await fetchFile(path, { range })
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, bytes.length])
    }
  })

  it.each([
    { 'if-none-match': 'abc' },
    { 'if-none-match': '"abc' },
    { 'if-match': 'abc' },
    { 'if-none-match': 'abc', range: 'items=0-1' },
    { 'if-unmodified-since': 'garbage' },
  ])('are whole for a request with malformed conditions: %o', async (headers) => {
    await env.EXPORTS.put('export/v1/plays/2039-02-01.jsonl.gz', 'rows')
    const answer = await fetchFile('/exports/v1/plays/2039-02-01.jsonl.gz', headers)
    expect([answer.status, await answer.text()]).toEqual([200, 'rows'])
  })

  it('are listed from one call a second, however many ask', async () => {
    await expectOneCall(vi.spyOn(Exporter.prototype, 'days'), '/api/history/exports', 1_000)
  })

  it('are the only files that are served', async () => {
    await history()
    for (const path of [
      'plays/2039-01-01.jsonl.gz',
      'plays/x',
      'log/checkpoint',
      '..%2f..%2flog',
    ]) {
      const answer = await get(`/exports/v1/${path}`)
      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found'])
    }
    expect((await post('/exports/v1/plays/2039-01-01.jsonl.gz', {})).status).toBe(405)
  })
})

describe('a closed day', () => {
  it('is listed with its manifest, whose files have every round, bet and play', async () => {
    const players = await history()
    const day = passDay()
    await ring()
    const { body } = await get('/api/history/exports')
    const text = await (await fetchFile(`/exports/v1/manifest/${day}.json`)).text()
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(body.days).toEqual([{ day, manifest: `/exports/v1/manifest/${day}.json`, sha256 }])
    const { files } = await manifestOf(day)
    for (const { name, rows, first, last, sha256: hash } of files) {
      const bytes = new Uint8Array(await (await fetchFile(`/exports/v1/${name}`)).arrayBuffer())
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash)
      expect(gunzipSync(bytes).toString().split('\n').length - 1).toBe(rows)
      expect([first === null, last === null]).toEqual([rows === 0, rows === 0])
    }
    const rounds = await rowsOf('rounds', day)
    expect(rounds.map(({ roundId }) => roundId)).toEqual(rounds.map((_, index) => index + 1))
    expect(rounds[0]).toMatchObject({ kind: 'settled', betCount: 2 })
    const bets = await rowsOf('bets', day)
    expect(bets.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['lost', 'won']))
    expect(bets.length).toBe(4)
    const plays = await rowsOf('plays', day)
    expect(plays.length).toBe(2 * SELECTIONS.length)
    // This deployment has no box contract.
    expect(await rowsOf('boxes', day)).toEqual([])
    const { config } = (await players[0]!.state()).body
    for (const { wallet } of players) {
      for (const { terms, ...row } of plays.filter((play) => play.wallet === wallet)) {
        expect(terms).toBe(config.terms.hash)
        const { ok: _ok, ...answered } = (
          await get(`/api/entropy?action=play&wallet=${wallet}&nonce=${row.nonce}`)
        ).body
        expect(row).toEqual(answered)
      }
    }
  })

  it('has the hash of its manifest in the public log', async () => {
    await history()
    const day = passDay()
    await ring()
    const [{ manifest, sha256 }] = (await get('/api/history/exports')).body.days
    const entry = { kind: 'export', id: day, at: 0 } as const
    const logged = await transparencyLog(env).append(entry)
    expect(logged.entry).toMatchObject({ kind: 'export', id: day, manifest, sha256 })
  })

  it('never changes: what comes late stands in the next day', async () => {
    const [alice] = await history()
    await env.HISTORY.exec('CREATE TABLE kept AS SELECT * FROM crash_rounds WHERE round_id = 2')
    await env.HISTORY.exec('DELETE FROM crash_rounds WHERE round_id = 2')
    const day = passDay()
    await ring()
    expect((await rowsOf('rounds', day)).map(({ roundId }) => roundId)).not.toContain(2)
    expect((await rowsOf('bets', day)).map(({ roundId }) => roundId)).toEqual([1, 1])
    await env.HISTORY.exec('INSERT INTO crash_rounds SELECT * FROM kept')
    await alice?.play()
    await settle([alice!])
    const next = passDay()
    await ring()
    expect((await rowsOf('rounds', next)).filter(({ roundId }) => roundId <= 2)).toMatchObject([
      { roundId: 2 },
    ])
    expect((await rowsOf('bets', next)).map(({ roundId }) => roundId)).toEqual([2, 2])
    expect(await rowsOf('plays', next)).toMatchObject([
      { wallet: alice?.wallet, nonce: SELECTIONS.length },
    ])
    const listed = async (query: string) =>
      (await get(`/api/history/exports${query}`)).body.days.map((each: { day: string }) => each.day)
    expect(await listed('')).toEqual([next, day])
    expect(await listed(`?before=${next}`)).toEqual([day])
    expect(await listed(`?before=${day}`)).toEqual([])
    const refused = await get('/api/history/exports?before=yesterday')
    expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_request'])
  })

  it('waits for the bets of its rounds if the history is lost between the two', async () => {
    await history()
    const day = dateOf(now())
    const put = env.EXPORTS.put.bind(env.EXPORTS) as (...args: unknown[]) => Promise<unknown>
    const lost = vi.spyOn(env.EXPORTS, 'put').mockImplementation((async (
      key: string,
      ...rest: unknown[]
    ) => {
      await put(key, ...rest)
      if (key.includes('/rounds/')) await loseRound(2)
    }) as never)
    await runInDurableObject(exporter(env), async (object) => {
      await expect(object.closeDay()).rejects.toThrow('the history has lost bets')
    })
    lost.mockRestore()
    expect((await get('/api/history/exports')).body.days).toEqual([])
    await crashRound(env, 2).sendToHistory()
    await exporter(env).closeDay()
    expect((await rowsOf('rounds', day)).map(({ roundId }) => roundId)).toContain(2)
    expect((await rowsOf('bets', day)).map(({ roundId }) => roundId)).toEqual([1, 1, 2, 2])
  })

  it('is looked at again after a minute while the history lacks bets, and may have more of them', async () => {
    await history()
    await env.HISTORY.exec('CREATE TABLE kept AS SELECT * FROM crash_bets WHERE round_id = 2')
    await env.HISTORY.exec('DELETE FROM crash_bets WHERE round_id = 2')
    const day = passDay()
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    await ring()
    const [line] = logged.mock.calls.flat()
    expect(JSON.parse(String(line))).toMatchObject({ event: 'export_delayed', day })
    await runInDurableObject(exporter(env), async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(now() + 60_000)
    })
    await env.HISTORY.exec('INSERT INTO crash_bets SELECT * FROM kept')
    await env.HISTORY.exec(`UPDATE kept SET wallet = '0x${'1'.repeat(40)}'`)
    await env.HISTORY.exec('INSERT INTO crash_bets SELECT * FROM kept LIMIT 1')
    pass(60_000)
    await ring()
    expect((await rowsOf('bets', day)).map(({ roundId }) => roundId)).toEqual([1, 1, 2, 2, 2])
  })

  it('waits for a round that arrives some minutes after the next one, as after a fault of the history', async () => {
    await history()
    await loseRound(1)
    const day = passDay()
    await ring()
    expect((await get('/api/history/exports')).body.days).toEqual([])
    const alarmAt = await runInDurableObject(exporter(env), (_, { storage }) => storage.getAlarm())
    expect(alarmAt).toBe(now() + 60_000)
    await crashRound(env, 1).sendToHistory()
    await ring()
    expect((await rowsOf('rounds', day)).map(({ roundId }) => roundId)).toEqual([1, 2])
  })

  it('leaves a late round that the history loses again to a later day', async () => {
    await history()
    await loseRound(1)
    passDay()
    await ringInVain()
    await crashRound(env, 1).sendToHistory()
    // The round is found when the day's export begins, and lost before its rounds are read.
    const down = vi.spyOn(FileWriter.prototype, 'append').mockImplementation(() => {
      throw new Error('down')
    })
    await runInDurableObject(exporter(env), async (object) => {
      await expect(object.closeDay()).rejects.toThrow('down')
    })
    down.mockRestore()
    await loseRound(1)
    await exporter(env).closeDay()
    await crashRound(env, 1).sendToHistory()
    const second = passDay()
    const third = passDay()
    await ring()
    expect(await rowsOf('bets', second)).toEqual([])
    expect((await rowsOf('bets', third)).map(({ roundId }) => roundId)).toEqual([1, 1])
  })

  it('has the same files wherever the exporter crashes', async () => {
    await history()
    // Not from the alarm: the platform would repeat one that fails, in the midst of a later test.
    await exporter(env).closeDay()
    const day = dateOf(now())
    const whole = await manifestOf(day)
    expect(whole.files.map(({ rows }) => rows > 0)).toEqual([true, true, true, false, false])
    for (let crashAt = 0; ; crashAt++) {
      await forgetExports(day)
      let [done, crashes] = [0, 0]
      const crashing = <T extends unknown[], R>(run: (...args: T) => R, isAnswerLost: boolean) =>
        function (this: unknown, ...args: T): R {
          const isNow = done++ === crashAt
          const result = isNow && !isAnswerLost ? null : run.apply(this, args)
          if (!isNow) return result as R
          crashes++
          throw new Error('crashed')
        }
      const put = env.EXPORTS.put.bind(env.EXPORTS) as unknown as () => void
      for (const step of ['passPage', 'passFile', 'closeDay'] as const) {
        const run = Reflect.get(ExporterStore.prototype, step) as () => void
        const isAnswerLost = step !== 'passPage'
        vi.spyOn(ExporterStore.prototype, step).mockImplementation(crashing(run, isAnswerLost))
      }
      vi.spyOn(env.EXPORTS, 'put').mockImplementation(crashing(put, true) as never)
      await exporter(env)
        .closeDay()
        .catch(() => {})
      await evictDurableObject(exporter(env))
      await exporter(env).closeDay()
      vi.restoreAllMocks()
      if (crashes === 0) {
        expect(crashAt).toBeGreaterThan(9)
        return
      }
      expect(await manifestOf(day)).toEqual(whole)
    }
  })

  it('keeps a manifest that is already there, and fails if it is another', async () => {
    await exporter(env).sweep()
    const key = objectKey(manifestName(dateOf(now())))
    await env.EXPORTS.put(key, 'another')
    const closing = runInDurableObject(exporter(env), (object) => object.closeDay())
    await expect(closing).rejects.toThrow('never changes')
    expect(await (await env.EXPORTS.get(key))?.text()).toBe('another')
    expect((await get('/api/history/exports')).body.days).toEqual([])
  })

  it('has all plays of a wallet whose ledger does not answer, a day later', async () => {
    const players = await history()
    const stuck = vi.spyOn(Ledger.prototype, 'exportPlays').mockRejectedValue(new Error('down'))
    const day = passDay()
    await ring()
    expect(await rowsOf('plays', day)).toEqual([])
    stuck.mockRestore()
    const next = passDay()
    await ring()
    expect((await rowsOf('plays', next)).length).toBe(players.length * SELECTIONS.length)
  })

  it('leaves plays made after midnight to the next day, even if it is exported hours late', async () => {
    await exporter(env).sweep()
    const day = dateOf(now())
    const midnight = Date.parse(day) + DAY_MS
    setTime(midnight + 60_000)
    const alice = await fundedPlayer(0)
    await alice.play()
    await settle([alice])
    // The feed has forgotten the play by the next day, so only D1's positions name its wallet.
    await env.HISTORY.exec('DELETE FROM recent_plays')
    setTime(midnight + 3 * 3_600_000)
    await ring()
    expect(await rowsOf('plays', day)).toEqual([])
    const next = passDay()
    await ring()
    expect(await rowsOf('plays', next)).toMatchObject([{ wallet: alice.wallet, nonce: 0 }])
  })

  it('names the games that are open, and has them once they have ended', async () => {
    const alice = await fundedPlayer(0)
    await exporter(env).sweep()
    await alice.play({ action: 'mines-open', params: { mines: 1 }, nonce: 0 })
    await alice.play({ nonce: 1 })
    await settle([alice])
    const day = passDay()
    await ring()
    const { wallet } = alice
    expect((await manifestOf(day)).openGames).toEqual([{ wallet, nonce: 0 }])
    expect(await rowsOf('plays', day)).toMatchObject([{ nonce: 1 }])
    // The alarm that would end the game is lost, so the export ends it a day later.
    const second = passDay()
    await ring()
    expect((await manifestOf(second)).openGames).toEqual([{ wallet, nonce: 0 }])
    const third = passDay()
    await ring()
    expect(await manifestOf(third)).not.toHaveProperty('openGames')
    expect(await rowsOf('plays', third)).toMatchObject([{ nonce: 0, payout: '1000000' }])
  })

  it('names the open game of a wallet whose ledger stops answering after some plays', async () => {
    const alice = await fundedPlayer(0)
    await exporter(env).sweep()
    await alice.play({ action: 'mines-open', params: { mines: 1 }, nonce: 0 })
    await alice.play({ nonce: 1 })
    await settle([alice])
    const exportPlays = Reflect.get<Ledger, 'exportPlays'>(Ledger.prototype, 'exportPlays')
    vi.spyOn(Ledger.prototype, 'exportPlays')
      .mockRejectedValue(new Error('down'))
      .mockImplementationOnce(async function (this: Ledger, ...asked) {
        return { ...(await exportPlays.apply(this, asked)), isAll: false }
      })
    const day = passDay()
    await ring()
    expect(await rowsOf('plays', day)).toMatchObject([{ nonce: 1 }])
    expect((await manifestOf(day)).openGames).toEqual([{ wallet: alice.wallet, nonce: 0 }])
    vi.restoreAllMocks()
  })

  it('can be closed early in local play, once', async () => {
    await history()
    const { body } = await post('/api/dev/close-day', {})
    const day = dateOf(now())
    expect(body.day.day).toBe(day)
    expect((await rowsOf('plays', day)).length).toBe(2 * SELECTIONS.length)
    expect((await post('/api/dev/close-day', {})).body).toEqual(body)
  })
})
