import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../src/cli/shared/port.ts'
import { wranglerDev } from '../../src/cli/shared/service-process.ts'
import { account } from '../shared/mnemonic.ts'
import {
  createReadyCheckout,
  removeCheckout,
  runCli,
  startIn,
  type StartedService,
} from './started-service.ts'

let checkout: string
let service: StartedService | null = null
let port: number

const wallet = account(0).address

/** Starts the service on the storage that the one before it has left. */
async function start(): Promise<void> {
  const origin = `http://localhost:${port}`
  const vars = { SITE_ORIGIN: origin, SITE_DOMAIN: new URL(origin).host }
  service = await startIn(checkout, () => wranglerDev(checkout, port, vars), port)
}

async function stop(): Promise<void> {
  await service?.stop()
  service = null
}

async function send(path: string, body: object): Promise<number> {
  const response = await fetch(`${service?.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.body?.cancel()
  return response.status
}

async function fund(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const chips = { wallet, token: 'USDG', amountWei: '1000000' }
    expect(await send('/api/dev/faucet', chips)).toBe(200)
  }
}

/**
 * Sends the wallet's position to D1, which its alarm would do within five minutes. There is no vault to count debts
 * for.
 */
const sendPosition = () => send('/api/dev/solvency', { wallet })

const operate = (...args: string[]) =>
  runCli('operate', ...args, '--url', service?.baseUrl ?? 'no service')

beforeAll(async () => {
  checkout = await createReadyCheckout()
  port = await freePort()
})

afterAll(async () => {
  await stop()
  await removeCheckout(checkout)
})

it('a ledger whose file is copied back is found, and its wallet is closed', async () => {
  const ledgers = join(checkout, '.wrangler/state/v3/do/fairhouse-local-Ledger')
  const copy = join(checkout, 'ledgers')
  await start()
  await fund(2)
  await stop()
  await cp(ledgers, copy, { recursive: true })
  await start()
  await fund(3)
  await sendPosition()
  expect(await operate('verify-all', '--as', 'support')).toMatchObject({ exitCode: 0 })
  await stop()
  await rm(ledgers, { recursive: true })
  await cp(copy, ledgers, { recursive: true })

  await start()
  const found = await operate('verify-all', '--as', 'support')
  expect(found.output).toContain(
    `${wallet}: D1 has entry 5, but the journal ends at 2: the ledger was restored to an earlier time`,
  )
  expect(found.exitCode).toBe(1)
  await sendPosition()
  const modes = await operate('modes')
  expect(modes.output).toContain(`wallet:${wallet}: closed`)
  const early = await operate('restore', wallet, '--reason', 'It went back.', '--as', 'treasurer')
  expect(early.output).toContain('Close the wallet and wait five minutes')
})
