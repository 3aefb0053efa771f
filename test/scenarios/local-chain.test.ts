import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublicClient, http, parseUnits, zeroAddress, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { boxNftAbi, vaultAbi } from '../../src/chain/abi.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { Site } from '../../src/cli/deploy-contracts/site.ts'
import { Client } from '../../src/cli/shared/client.ts'
import { devOwner } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { DECIMALS, TOKENS, type Token } from '../../src/money/token.ts'
import { descendants } from '../shared/descendants.ts'
import { createCheckout, removeCheckout, runCli, runCliIn } from './started-service.ts'

interface Manifest {
  baseUrl: string
  rpcUrl: string
  contracts: { vault: Address; usdg: Address; boxNft: Address }
  owner: { address: Address }
  relayer: { address: Address }
  players: { address: Address; privateKey: Hex }[]
}

const READY = { timeout: 280_000, interval: 200 }

/** A round that flies to the highest multiplier takes almost four minutes; half of them take ten seconds. */
const LONGEST_ROUND_MS = 300_000

/** Each token is played by a player of its own. */
const PLAYERS: Record<Token, number> = { ETH: 0, USDG: 1 }
const CRASH_PLAYER = 2
const PRIZE_PLAYER = 3

const WELCOME = { ETH: '10000000000000000000', USDG: '10000000000' }
const FIVE_TIMES_WELCOME = Array.from({ length: 5 }, () => WELCOME)

describe('npm run dev and npm run play, with a chain', () => {
  let checkout: string
  let port: number
  let baseUrl: string
  let dev: ChildProcess
  /** Everything the command has printed. */
  let said = ''

  beforeAll(async () => {
    checkout = await createCheckout()
    port = await freePort()
    baseUrl = `http://localhost:${port}`
    dev = await start([process.execPath, 'src/cli/dev.ts'])
  })

  afterAll(async () => {
    await interrupt(dev)
    await removeCheckout(checkout)
  })

  /** Starts a command that serves on the port; resolves when everything is ready. */
  async function start([file = '', ...args]: string[]): Promise<ChildProcess> {
    const child = spawn(file, [...args, `--port=${port}`], { cwd: checkout })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    }
    await vi.waitFor(readManifest, READY).catch((fault: unknown) => {
      throw new Error(`The service did not start. It said: ${said}`, { cause: fault })
    })
    return child
  }

  /** What Ctrl-C does: what dev has started is in groups of its own and does not hear of it. */
  async function interrupt(child: ChildProcess): Promise<number | null> {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    await ended
    return child.exitCode
  }

  async function readManifest(): Promise<Manifest> {
    return JSON.parse(await readFile(join(checkout, '.dev/manifest.json'), 'utf8')) as Manifest
  }

  function play(index: number, ...args: string[]) {
    return runCliIn(checkout, 'play', '--url', baseUrl, '--player', String(index), ...args)
  }

  /** What a player has on chain, asked of the node itself. */
  async function onChain(index: number, token: Token): Promise<bigint> {
    const { rpcUrl, contracts, players } = await readManifest()
    const chain = createPublicClient({ transport: http(rpcUrl) })
    const { address } = players[index]!
    if (token === 'ETH') return chain.getBalance({ address })
    const call = { address: contracts.usdg, abi: tokenAbi, functionName: 'balanceOf' } as const
    return chain.readContract({ ...call, args: [address] })
  }

  async function allChips(): Promise<Record<Token, string>[]> {
    const { players } = await readManifest()
    const client = new Client(baseUrl)
    return Promise.all(
      players.map(async ({ privateKey }) => {
        const player = new Player(client, privateKey)
        await player.signIn(await player.signInMessage())
        return (await player.state()).me.chips
      }),
    )
  }

  const chips = async (index: number, token: Token) => BigInt((await allChips())[index]![token])

  it('writes a manifest that any client can play with', async () => {
    const manifest = await readManifest()
    const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string
    const privateKey = expect.stringMatching(/^0x[0-9a-f]{64}$/) as string
    expect(manifest).toMatchObject({
      baseUrl,
      chainId: 31337,
      rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      domain: new URL(baseUrl).host,
      origin: baseUrl,
      contracts: { vault: address, usdg: address },
      owner: { address, privateKey },
      relayer: { address, privateKey },
      players: Array.from({ length: 5 }, () => ({ address, privateKey })),
    })
    expect(await allChips()).toEqual(FIVE_TIMES_WELCOME)
  })

  it('has chips backed by the vault, players with more tokens, and a funded house', async () => {
    const { rpcUrl, contracts, owner, relayer, players } = await readManifest()
    const chain = createPublicClient({ transport: http(rpcUrl) })
    const ofVault = { address: contracts.vault, abi: vaultAbi } as const
    const ofUsdg = { address: contracts.usdg, abi: tokenAbi } as const
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
    await vi.waitFor(() => expect(said).toContain('Ctrl-C'), READY)
    expect(said).toContain(`npm run play -- --url ${baseUrl}`)
    expect(said).toContain(`npm run verify -- ${baseUrl}`)
    expect(said).not.toMatch(/wrangler|warn|error/i)
  })

  it('is not started twice from one folder, whose manifest it keeps', async () => {
    const { output, exitCode } = await runCliIn(checkout, 'dev', '--port', String(port + 1))
    expect(output).toContain(`Fairhouse already runs from this folder at ${baseUrl}`)
    expect(exitCode).toBe(1)
    expect(await readManifest()).toMatchObject({ baseUrl })
  })

  it('reports that its port is taken', async () => {
    const { output, exitCode } = await runCli('dev', '--port', String(port))
    expect(output).toContain(`Port ${port} is taken`)
    expect(exitCode).toBe(1)
  })

  it('proves to a player that the chips are in the sum of what is owed', async () => {
    const { rpcUrl, players } = await readManifest()
    const client = new Client(baseUrl)
    const account = privateKeyToAccount(players[0]!.privateKey)
    const player = new Player(client, players[0]!.privateKey)
    const authSig = await account.signMessage({ message: await player.signInMessage() })
    await client.post('/api/dev/solvency', { wallet: player.wallet })
    const verify = (...args: string[]) => runCliIn(checkout, 'verify', 'solvency', ...args)
    const own = [baseUrl, '--wallet', player.wallet, '--auth-sig', authSig]
    const { output, exitCode } = await verify(...own, '--rpc', rpcUrl)
    expect([output, exitCode]).toEqual([expect.stringContaining('are counted as owed to you'), 0])
    expect(output).not.toContain('✗')
    const receipt = ['--seq', '9999', '--seen-at', String(Date.now() - 3_600_000)]
    const late = await verify(...own, ...receipt)
    expect([late.output, late.exitCode]).toEqual([expect.stringContaining('✗ the leaf'), 1])
    const path = join(checkout, 'solvency.json')
    const answer = await client.get<{ owed: object }>('/api/solvency')
    await writeFile(path, JSON.stringify({ ...answer, owed: { ETH: '1', USDG: '1' } }))
    const saved = await verify(path)
    expect([saved.output, saved.exitCode]).toEqual([expect.stringContaining('✗ the ratio'), 1])
  })

  const ONE_PLAY = ['--game', 'limbo', '--token']

  describe.each(TOKENS)('a player of %s', (token) => {
    const index = PLAYERS[token]

    it('plays and withdraws every chip, and receives exactly that amount on chain', async () => {
      const before = await onChain(index, token)
      const { output, exitCode } = await play(index, ...ONE_PLAY, token, '--withdraw', 'all')
      const paid = new RegExp(`paid ([\\d.]+) ${token} to your wallet: 0x[0-9a-f]{64}`).exec(output)
      expect(output).not.toContain('✗')
      expect(exitCode).toBe(0)
      const paidWei = parseUnits(paid?.[1] ?? '0', DECIMALS[token])
      expect(paidWei).toBeGreaterThan(0n)
      expect((await onChain(index, token)) - before).toBe(paidWei)
      expect(await chips(index, token)).toBe(0n)
    })

    it('deposits the missing amount, plays, and withdraws the winnings', async () => {
      const { output, exitCode } = await play(index, ...ONE_PLAY, token)
      expect(output).toMatch(new RegExp(`deposited (0.001|1) ${token} from your wallet: 0x`))
      expect(output).toMatch(/paid [\d.]+ \w+ to your wallet|nothing to withdraw: 0/)
      expect(output).not.toContain('✗')
      expect(exitCode).toBe(0)
      expect(await chips(index, token)).toBe(0n)
    })

    it('gets an error when the withdrawal exceeds the chips', async () => {
      const { output, exitCode } = await play(index, ...ONE_PLAY, token, '--withdraw', '1000')
      expect(output).toContain(`You do not have enough ${token} chips.`)
      expect(exitCode).toBe(1)
    })
  })

  it(
    'a player of crash chooses the amount of a withdrawal',
    { timeout: LONGEST_ROUND_MS },
    async () => {
      const before = await onChain(CRASH_PLAYER, 'USDG')
      const { output, exitCode } = await play(CRASH_PLAYER, '--target', '1.1', '--withdraw', '2.5')
      expect(output).toContain('paid 2.5 USDG to your wallet')
      expect(output).toMatch(/was fair: you (won|lost), and every check passed/)
      expect(exitCode).toBe(0)
      expect((await onChain(CRASH_PLAYER, 'USDG')) - before).toBe(2_500_000n)
    },
  )

  describe('a player of prizes', () => {
    /** The command that a play says will verify it. */
    const toVerify = (output: string) =>
      /npm run verify -- (.+)/.exec(output)?.[1]?.trim().split(' ') ?? []

    const verify = (...args: string[]) => runCliIn(checkout, 'verify', ...args)

    /** Ends the batch of boxes as its owner, with the pepper that the service was started with. */
    async function endBatch(): Promise<void> {
      const { rpcUrl, contracts } = await readManifest()
      const address = contracts.boxNft
      // Other stories run services of their own at the same time, whose contracts have the same addresses.
      const started = descendants(dev.pid!).join()
      const commands = execFileSync('ps', ['-ww', '-o', 'args=', '-p', started], {
        encoding: 'utf8',
      })
      const [, pepper] = /BOX_PEPPERS:\{"1":"([0-9a-f]{64})"\}/.exec(commands) ?? []
      const site = new Site(checkout, rpcUrl, devOwner())
      await site.call(address, boxNftAbi, 'stopBatch', [])
      // The pepper is published in a later block than the end of the sale.
      await site.call(address, boxNftAbi, 'endBatch', [`0x${pepper}`])
    }

    async function verifySaved(answer: object) {
      const path = join(checkout, 'saved.json')
      await writeFile(path, JSON.stringify(answer))
      return verify(path)
    }

    it('opens the lootbox and is paid, and a tampered opening is named', async () => {
      const { output, exitCode } = await play(PRIZE_PLAYER, '--game', 'lootbox')
      expect(output).toMatch(/✓ your wallet has exactly [\d.]+ \w+ more/)
      expect(output).toMatch(/You won [\d.]+ \w+, and every check so far passed/)
      expect(exitCode).toBe(0)

      const [url = '', , txHash = '', , wallet = ''] = toVerify(output)
      const early = await verify(...toVerify(output))
      expect(early.output).toContain(`opening ${txHash}: its day`)
      expect(early.exitCode).toBe(1)

      const body = { action: 'open', wallet, txHash }
      const answer = await new Client(url).post<{ open: object }>('/api/lootbox', body)
      const forged = { open: { ...answer.open, seed: '5e'.repeat(32) } }
      const { output: refused, exitCode: refusal } = await verifySaved(forged)
      expect(refused).toContain(`Some checks failed: see opening ${txHash}.`)
      expect(refusal).toBe(1)
    })

    it('buys a box, reveals and claims it, and a tampered box is named', async () => {
      const { output, exitCode } = await play(PRIZE_PLAYER, '--game', 'box')
      expect(output).toContain('✓ it took 3 of your transactions')
      expect(output).toMatch(/You won [\d.]+ REWARD, and every check so far passed/)
      expect(exitCode).toBe(0)

      const [url = '', , boxId = ''] = toVerify(output)
      const early = await verify(...toVerify(output))
      expect(early.output).toContain(`box ${boxId}: the pepper of batch 1 is not published yet`)
      expect(early.exitCode).toBe(1)

      const answer = await new Client(url).get<{ boxes: object[] }>('/api/lootbox-nft', {
        boxId,
      })
      const boxes = answer.boxes.map((box) => ({ ...box, pepper: '5e'.repeat(32) }))
      const { output: refused, exitCode: refusal } = await verifySaved({ ...answer, boxes })
      expect(refused).toContain(`Some checks failed: see box ${boxId}.`)
      expect(refusal).toBe(1)
    })

    it('has the box in the export once its batch has ended, and an audit finds nothing', async () => {
      await endBatch()
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: '{}' }
      expect((await fetch(`${baseUrl}/api/dev/close-day`, request)).status).toBe(200)
      const { output, exitCode } = await runCliIn(checkout, 'audit', baseUrl)
      expect(output).toContain('\n  1 box\n')
      expect(output).toContain('The audit found nothing wrong.')
      expect(exitCode).toBe(0)
    })

    it('gets an error for an option that only applies to chips', async () => {
      const { output, exitCode } = await play(PRIZE_PLAYER, '--game', 'box', '--amount', '1')
      expect(output).toContain('it takes no --amount')
      expect(exitCode).toBe(1)
    })
  })

  it('Ctrl-C ends every started process and deletes the manifest', async () => {
    const { rpcUrl } = await readManifest()
    const started = descendants(dev.pid!)
    // At least wrangler, the runtime, and the chain.
    expect(started.length).toBeGreaterThanOrEqual(3)
    expect(await interrupt(dev)).toBe(0)
    // The kernel ends what was killed in its own time.
    await vi.waitFor(() => expect(started.filter(isRunning)).toEqual([]), { timeout: 60_000 })
    await expect(fetch(baseUrl)).rejects.toThrow()
    await expect(fetch(rpcUrl)).rejects.toThrow()
    expect(existsSync(join(checkout, '.dev/manifest.json'))).toBe(false)
  })

  it('a second start on the same port keeps nothing of the first', async () => {
    dev = await start(['npm', 'run', 'dev', '--'])
    expect(await allChips()).toEqual(FIVE_TIMES_WELCOME)
    const { output, exitCode } = await play(0, ...ONE_PLAY, 'ETH', '--withdraw', '1.5')
    expect(output).toContain('paid 1.5 ETH to your wallet')
    expect(exitCode).toBe(0)
  })

  it('stops with its chain when npm is stopped', async () => {
    const { rpcUrl } = await readManifest()
    dev.kill('SIGTERM')
    await vi.waitFor(() => expect(fetch(baseUrl)).rejects.toThrow(), READY)
    await vi.waitFor(() => expect(fetch(rpcUrl)).rejects.toThrow(), READY)
  })
})

/** One that has ended stays in the table until its parent, or the system, has taken note. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  const state = stdout.trim()
  return state !== '' && !state.startsWith('Z')
}
