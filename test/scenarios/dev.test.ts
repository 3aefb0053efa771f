import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublicClient, http, zeroAddress, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { usdgAbi, vaultAbi } from '../../src/chain/abi.ts'
import { Client } from '../../src/cli/shared/client.ts'
import { Player } from '../../src/cli/shared/player.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import {
  createCheckout,
  removeCheckout,
  runCli,
  startIn,
  type StartedService,
} from './started-service.ts'

interface Manifest {
  baseUrl: string
  rpcUrl: string
  contracts: { vault: Address; usdg: Address }
  owner: { address: Address }
  relayer: { address: Address }
  players: { address: Address; privateKey: Hex }[]
}

const READY = { timeout: 120_000, interval: 200 }

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

  it('writes a manifest that any client can play with', async () => {
    const manifest = await readManifest()
    const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string
    const privateKey = expect.stringMatching(/^0x[0-9a-f]{64}$/) as string
    expect(manifest).toMatchObject({
      baseUrl: service.baseUrl,
      chainId: 31337,
      rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      domain: new URL(service.baseUrl).host,
      origin: service.baseUrl,
      contracts: { vault: address, usdg: address },
      owner: { address, privateKey },
      relayer: { address, privateKey },
      players: Array.from({ length: 5 }, () => ({ address, privateKey })),
    })
    expect(await chipsOf(manifest)).toEqual(FIVE_TIMES_WELCOME)
  })

  it('has chips backed by the vault, players with more tokens, and a funded house', async () => {
    const { rpcUrl, contracts, owner, relayer, players } = await readManifest()
    const chain = createPublicClient({ transport: http(rpcUrl) })
    const ofVault = { address: contracts.vault, abi: vaultAbi } as const
    const ofUsdg = { address: contracts.usdg, abi: usdgAbi } as const
    const books = (token: Address) =>
      chain.readContract({ ...ofVault, functionName: 'books', args: [token] })
    expect(await chain.readContract({ ...ofVault, functionName: 'owner' })).toBe(owner.address)
    expect(await chain.readContract({ ...ofVault, functionName: 'relayer' })).toBe(relayer.address)
    for (const [token, welcome] of [
      [zeroAddress, WELCOME.ETH],
      [contracts.usdg, WELCOME.USDG],
    ] as const) {
      const [deposited, , funded] = await books(token)
      expect(deposited).toBe(5n * BigInt(welcome))
      expect(funded).toBeGreaterThan(deposited)
    }
    for (const { address } of players) {
      const usdg = chain.readContract({ ...ofUsdg, functionName: 'balanceOf', args: [address] })
      expect(await usdg).toBeGreaterThan(BigInt(WELCOME.USDG))
      expect(await chain.getBalance({ address })).toBeGreaterThan(BigInt(WELCOME.ETH))
    }
  })

  it('prints how to play and verify, and no output of its tools', async () => {
    await vi.waitFor(() => expect(service.output()).toContain('Ctrl-C'), READY)
    expect(service.output()).toContain(`npm run play -- --url ${service.baseUrl}`)
    expect(service.output()).toContain(`npm run verify -- ${service.baseUrl}`)
    expect(service.output()).not.toMatch(/wrangler|warn|error/i)
  })

  it('reports that its port is taken', async () => {
    const port = new URL(service.baseUrl).port
    const { output, exitCode } = await runCli('dev', '--port', port)
    expect(output).toContain(`Port ${port} is taken`)
    expect(exitCode).toBe(1)
  })

  it('starts afresh a second time, and stops its chain when npm is stopped', async () => {
    await service.stop()
    const port = await freePort()
    const npm = spawn('npm', ['run', 'dev', '--', `--port=${port}`], {
      cwd: checkout,
      stdio: 'ignore',
    })
    const baseUrl = `http://localhost:${port}`
    await vi.waitFor(async () => expect((await readManifest()).baseUrl).toBe(baseUrl), READY)
    const manifest = await readManifest()
    expect(await chipsOf(manifest)).toEqual(FIVE_TIMES_WELCOME)
    npm.kill('SIGTERM')
    await vi.waitFor(() => expect(fetch(baseUrl)).rejects.toThrow(), READY)
    await vi.waitFor(() => expect(fetch(manifest.rpcUrl)).rejects.toThrow(), READY)
  })
})
