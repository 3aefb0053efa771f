import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { checkedBefore } from '../../../src/cli/production/command.ts'
import { writeProduction } from '../../../src/cli/production/configuration.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-production-'))
  await copyFile('wrangler.toml', join(folder, 'wrangler.toml'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const read = (config: string) => unstable_readConfig({ config, env: 'production' })
const tracked = () => read(join(folder, 'wrangler.toml'))

/** Returns what wrangler reads after an operator has set something. */
async function operated(toml: string) {
  await writeFile(join(folder, 'fairhouse.toml'), toml)
  return read(await writeProduction(folder))
}

/** What wrangler reads, except for where it was. */
const contents = (config: object) => ({ ...config, configPath: '', userConfigPath: '' })

describe('the configuration of production', () => {
  it('is that of wrangler.toml if an operator sets nothing', async () => {
    expect(contents(await operated(''))).toEqual(contents(tracked()))
  })

  it('gives an alarm the most CPU time that the platform has', async () => {
    expect((await operated('')).limits).toEqual({ cpu_ms: 300_000 })
  })

  it('has the settings of fairhouse.toml, each instead of a whole default', async () => {
    const config = await operated(`
      name = "acme"
      account_id = "0123456789abcdef0123456789abcdef"
      routes = [{ pattern = "play.acme.internal", custom_domain = true }]
      observability = { enabled = true, logs = { destinations = ["acme"] } }
      [databases]
      DB = "0d1c5a3e-0000-4000-8000-000000000001"
      [buckets]
      EXPORTS = "acme-exports"
      [rate_limits]
      READS = 321
      [vars]
      CHAIN_ID = "137"
      CRASH_LIMITS = { ETH = { min = "1", max = "2", maxPayout = "3", maxRoundPayout = "4" } }
    `)
    const { vars, d1_databases, r2_buckets, ratelimits } = tracked()
    expect(config).toMatchObject({
      name: 'acme',
      account_id: '0123456789abcdef0123456789abcdef',
      routes: [{ pattern: 'play.acme.internal', custom_domain: true }],
      observability: { logs: { destinations: ['acme'], invocation_logs: false } },
    })
    expect(config.vars).toEqual({
      ...vars,
      CHAIN_ID: '137',
      CRASH_LIMITS: { ETH: { min: '1', max: '2', maxPayout: '3', maxRoundPayout: '4' } },
    })
    const id = '0d1c5a3e-0000-4000-8000-000000000001'
    expect(config.d1_databases).toEqual([{ ...d1_databases[0], database_id: id }, d1_databases[1]])
    expect(config.r2_buckets).toEqual([
      r2_buckets[0],
      { ...r2_buckets[1], bucket_name: 'acme-exports' },
    ])
    const reads = { ...ratelimits[0], simple: { limit: 321, period: 10 } }
    expect(config.ratelimits).toEqual([reads, ...ratelimits.slice(1)])
  })

  it('is made from the example, which changes nothing but the domain', async () => {
    await copyFile('reference/fairhouse.toml', join(folder, 'fairhouse.toml'))
    const { routes, ...config } = read(await writeProduction(folder))
    expect(routes).toEqual([{ pattern: 'play.example.com', custom_domain: true }])
    expect(config.vars).toEqual(tracked().vars)
    expect(config.d1_databases).toEqual(tracked().d1_databases)
  })

  it.each([
    [
      'a table that does not exist',
      '[variables]\nCHAIN_ID = "1"',
      'unknown: variables. The file takes name, account_id, routes',
    ],
    ['a variable that does not exist', '[vars]\nCHAIN_IDS = "1"', 'vars.CHAIN_IDS is unknown.'],
    [
      'a database that does not exist',
      '[databases]\nD1 = "0d1c5a3e-0000-4000-8000-000000000001"',
      'databases.D1 is unknown. [databases] takes DB, HISTORY.',
    ],
    ['a malformed database id', '[databases]\nDB = "fairhouse"', 'databases.DB'],
    [
      'a limit that does not exist',
      '[rate_limits]\nPLAYS = 1',
      '[rate_limits] takes READS, MONEY_CALLS',
    ],
    [
      'local play',
      '[vars]\nENVIRONMENT = "local"',
      'vars.ENVIRONMENT is always "production" here.',
    ],
    [
      'a secret',
      '[vars]\nLOG_KEY = "PRIVATE+KEY"',
      'vars.LOG_KEY is a secret, which must not be in a file of settings.',
    ],
    [
      'logs of every request',
      '[observability.logs]\ninvocation_logs = true',
      "must be false: URLs carry players' sign-in signatures",
    ],
    ['a file that is not TOML', 'vars = {', 'fairhouse.toml'],
  ])('is not made from %s', async (_what, toml, problem) => {
    const fault = await operated(toml).catch((error: unknown) => error)
    expect(fault).toMatchObject({ name: 'CommandError', message: expect.stringContaining(problem) })
    expect(String(fault)).not.toContain('PRIVATE+KEY')
  })

  it.each([
    '{ enabled = true, head_sampling_rate = 0.1 }',
    '{ logs = { destinations = ["acme"] }, traces = { destinations = ["acme"] } }',
  ])('keeps request URLs out of logs and traces, whatever else is set: %s', async (settings) => {
    const { observability } = await operated(`observability = ${settings}`)
    expect(observability?.logs?.invocation_logs).toBe(false)
    expect(observability?.traces?.enabled).toBe(false)
  })

  it('takes the file that an operator has to write first', async () => {
    await expect(writeProduction(folder)).rejects.toThrow('Copy reference/fairhouse.toml')
  })
})

describe('a command on production', () => {
  it.each([
    ['deploy', 'everything'],
    ['deploy --dry-run', 'everything'],
    ['versions upload --tag 0.3.0', 'everything'],
    ['deploy --secrets-file .dev.vars.production', 'everything'],
    ['secret bulk .dev.vars.production', 'settings'],
    ['versions secret bulk .dev.vars.production', 'settings'],
    ['secret put LOG_KEY', 'nothing'],
    ['versions deploy new@10% current@90% --yes', 'nothing'],
    ['triggers deploy', 'nothing'],
    ['rollback --message deploy', 'nothing'],
    ['d1 migrations apply DB --remote', 'nothing'],
    ['dev --ip 127.0.0.1 --env-file .env', 'nothing'],
  ])('%s: the doctor first checks %s', (command, checked) => {
    expect(checkedBefore(command.split(' '))).toBe(checked)
  })

  it.each(['--dry-run deploy', '--tag 0.3.0 deploy', 'versions --tag 0.3.0 upload'])(
    'is refused if an option hides it from the doctor: %s',
    (command) => {
      expect(() => checkedBefore(command.split(' '))).toThrow(
        'Write the whole command before its options',
      )
    },
  )

  it.each(['secret bulk', 'secret bulk other.json', 'secret bulk .dev.vars --dry-run'])(
    'is refused if it sets secrets that the doctor does not read: %s',
    (command) => {
      expect(() => checkedBefore(command.split(' '))).toThrow(
        'Only the secrets in .dev.vars.production are checked.',
      )
    },
  )

  it.each([
    ['deploy --var ENVIRONMENT:local', '--var'],
    ['deploy --var=ENVIRONMENT:local', '--var'],
    ['--env staging deploy', '--env'],
    ['versions upload -e staging', '-e'],
    ['deploy -e=staging', '-e'],
    ['secret put LOG_KEY --config=other.toml', '--config'],
    ['deploy -c other.toml', '-c'],
    ['versions deploy new@10% -yc other.toml', '-yc'],
    ['rollback --name other', '--name'],
    ['deploy --cwd other', '--cwd'],
    ['deploy --', '--'],
  ])('takes its configuration from fairhouse.toml only: %s', (command, option) => {
    expect(() => checkedBefore(command.split(' '))).toThrow(
      `${option} can't be used here: the configuration of production comes from fairhouse.toml.`,
    )
  })
})
