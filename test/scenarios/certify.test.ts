import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GROUPS } from '../../src/certify/cases.ts'
import {
  DEV_PARTNER,
  devPartnerKeys,
  OTHER_DEV_PARTNER,
} from '../../src/cli/shared/dev-partners.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { wranglerDev } from '../../src/cli/shared/service-process.ts'
import {
  createReadyCheckout,
  removeCheckout,
  runCli,
  startIn,
  type StartedService,
  PROJECT_DIR,
} from './started-service.ts'

let checkout: string
let folder: string
let service: StartedService
let restarter: Server
let restartPort: number

const options = () => ['--url', service.baseUrl, '--partner', DEV_PARTNER.id]
const secret = ['--secret', DEV_PARTNER.secret]

beforeAll(async () => {
  checkout = await createReadyCheckout()
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-certify-'))
  const port = await freePort()
  const start = () => {
    const vars = { PARTNER_KEYS: devPartnerKeys() }
    return startIn(checkout, () => wranglerDev(checkout, port, vars), port)
  }
  service = await start()
  const restart = async (response: ServerResponse) => {
    await service.stop()
    service = await start()
    response.end('restarted')
  }
  restarter = createServer((_request, response) => void restart(response))
  restartPort = await freePort()
  await new Promise<void>((resolve) => restarter.listen(restartPort, 'localhost', resolve))
})

afterAll(async () => {
  restarter?.close()
  await service?.stop()
  await removeCheckout(checkout)
  await rm(folder, { recursive: true, force: true })
})

describe('npm run certify against a started service', () => {
  it('passes every case and writes a report', async () => {
    const report = join(folder, 'report.json')
    const restart = `${process.execPath} -e "fetch('http://localhost:${restartPort}')"`
    const { exitCode, output } = await runCli(
      'certify',
      ...options(),
      ...secret,
      '--next-secret',
      DEV_PARTNER.next?.secret ?? '',
      '--other-partner',
      OTHER_DEV_PARTNER.id,
      '--other-secret',
      OTHER_DEV_PARTNER.secret,
      '--restart',
      restart,
      '--json',
      report,
    )
    const cases = GROUPS.flatMap((group) => group.cases)
    expect(output).toContain(`${cases.length} of ${cases.length} cases passed.`)
    expect(output).not.toContain('✗')
    expect(exitCode).toBe(0)
    const written = await readFile(report, 'utf8')
    expect(JSON.parse(written)).toMatchObject({ failed: 0, skipped: 0, passed: cases.length })
    expect(written.includes(DEV_PARTNER.secret)).toBe(false)
    expect(/eyJ[\w-]{50,}/.exec(written)?.[0]).toBeUndefined()
  })

  it('lists the skipped cases and shows the requests and answers', async () => {
    const only = ['--only', 'the next key', '--verbose']
    const skipped = await runCli('certify', ...options(), ...secret, ...only)
    expect(skipped.output).toContain('skipped, needs --next-secret')
    const shown = await runCli(
      'certify',
      ...options(),
      ...secret,
      '--only',
      'zero is recorded',
      '--verbose',
    )
    expect(shown.output).toContain('→ POST /api/wallet/transaction')
    expect(shown.output).toContain('← 409')
    expect(shown.exitCode).toBe(0)
  })

  it('fails with a wrong key, and shows the answer and the rule for each case', async () => {
    const wrong = ['--secret', 'not the key of this partner at all']
    const { exitCode, output } = await runCli(
      'certify',
      ...options(),
      ...wrong,
      '--only',
      'a repeated debit',
    )
    expect(exitCode).toBe(1)
    expect(output).toContain('✗ a repeated debit')
    expect(output).toContain('Rule: The same id with the same contents')
    expect(output).toContain('token_invalid')
    expect(output).toContain('0 of 1 cases passed.')
  })

  it('lists the options that are missing', async () => {
    const { exitCode, output } = await runCli('certify', ...options())
    expect(exitCode).toBe(1)
    expect(output).toContain(
      "--url, --partner and the partner's key (CERTIFY_SECRET or --secret) must be set together",
    )
  })
})

describe('the quick start of the partner guide', () => {
  it('runs as written', async () => {
    const guide = await readFile(join(PROJECT_DIR, 'reference/wallet-bridge.md'), 'utf8')
    const code = /```js\n([^]*?)```/.exec(guide)?.[1] ?? ''
    const script = join(folder, 'bridge.mjs')
    await writeFile(script, code.replace('http://localhost:8787', service.baseUrl))
    const { stdout } = await promisify(execFile)(process.execPath, [script])
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['200', '200', '200', '200'])
    expect(lines[3]).toContain('"balance":5,"balanceBefore":3')
  })
})
