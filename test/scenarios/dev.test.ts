import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Hex } from 'viem'
import { Client } from '../../src/cli/client.ts'
import { Player } from '../../src/cli/player.ts'
import {
  createCheckout,
  freePort,
  removeCheckout,
  runCli,
  startIn,
  type StartedService,
} from './started-service.ts'

interface Manifest {
  baseUrl: string
  domain: string
  players: { address: string; privateKey: Hex }[]
}

const READY = { timeout: 60_000, interval: 200 }

describe('npm run dev', () => {
  let checkout: string
  let service: StartedService

  beforeAll(async () => {
    checkout = await createCheckout()
    service = await startIn(checkout, (port) => [
      process.execPath,
      'src/cli/dev.ts',
      `--port=${port}`,
    ])
  })

  afterAll(async () => {
    await service?.stop()
    await removeCheckout(checkout)
  })

  /** The manifest is there as soon as everything is ready. */
  function readManifest(): Promise<Manifest> {
    const read = async () => readFile(join(checkout, '.dev/manifest.json'), 'utf8')
    return vi.waitFor(async () => JSON.parse(await read()) as Manifest, READY)
  }

  async function chipsOf({ baseUrl, players }: Manifest): Promise<object[]> {
    const client = new Client(baseUrl)
    return Promise.all(
      players.map(async ({ privateKey }) => {
        const player = new Player(client, privateKey)
        await player.signIn(await player.signInMessage())
        return (await player.state()).me.chips
      }),
    )
  }

  const WELCOME = { ETH: '10000000000000000000', USDG: '10000000000' }
  const FIVE_TIMES_WELCOME = Array.from({ length: 5 }, () => WELCOME)

  it('leaves a manifest with which any client can play', async () => {
    const manifest = await readManifest()
    expect(manifest).toMatchObject({
      baseUrl: service.baseUrl,
      chainId: 31337,
      rpcUrl: null,
      domain: new URL(service.baseUrl).host,
      origin: service.baseUrl,
      contracts: {},
    })
    expect(await chipsOf(manifest)).toEqual(FIVE_TIMES_WELCOME)
  })

  it('shows how to play and to verify, and nothing of its tools', async () => {
    await vi.waitFor(() => expect(service.output()).toContain('Ctrl-C'), READY)
    expect(service.output()).toContain(`npm run play -- --url ${service.baseUrl}`)
    expect(service.output()).toContain(`npm run verify -- ${service.baseUrl}`)
    expect(service.output()).not.toMatch(/wrangler|warn|error/i)
  })

  it('says so when its port is taken', async () => {
    const port = new URL(service.baseUrl).port
    const { output, exitCode } = await runCli('dev', '--port', port)
    expect(output).toContain(`Port ${port} is taken`)
    expect(exitCode).toBe(1)
  })

  it('gives nothing twice at a second start, and ends when npm is ended', async () => {
    await service.stop()
    const port = await freePort()
    const npm = spawn('npm', ['run', 'dev', '--', `--port=${port}`], {
      cwd: checkout,
      stdio: 'ignore',
    })
    const baseUrl = `http://localhost:${port}`
    await vi.waitFor(async () => expect((await readManifest()).baseUrl).toBe(baseUrl), READY)
    expect(await chipsOf(await readManifest())).toEqual(FIVE_TIMES_WELCOME)
    npm.kill('SIGTERM')
    await vi.waitFor(() => expect(fetch(baseUrl)).rejects.toThrow(), READY)
  })
})
