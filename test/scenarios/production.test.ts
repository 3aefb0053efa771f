import { spawn, type ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { createTestClient, getAddress, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChainWallet } from '../../src/cli/shared/chain-wallet.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { poll } from '../../src/cli/shared/poll.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { askRelay, OWN_BEACON } from '../lying-house/beacon.ts'
import {
  createReadyCheckout,
  PROJECT_DIR,
  removeCheckout,
  runCli,
  runCliIn,
  startIn,
  type StartedService,
} from './started-service.ts'

/** A round that flies to the highest multiplier takes almost four minutes. */
const LONGEST_ROUND_MS = 300_000

const newAccount = () => {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAccount(privateKey).address }
}
const [owner, relayer, player] = [newAccount(), newAccount(), newAccount()]
const admins = [newAccount(), newAccount()]
/** An account with funds on any local chain. */
const deployer = devPlayer(0)

/** The steps of "Try it first" in reference/deploy.md, in order, as an operator follows them. */
describe('production on this machine, by the guide', () => {
  let chain: ChildProcess
  let rpcUrl: string
  let beacon: Server
  let relay: string
  let checkout: string
  let host: string
  /** What deploy:contracts printed. */
  let printed: string
  let vaultAddress: Address
  let service: StartedService | undefined

  beforeAll(async () => {
    const chainPort = await freePort()
    rpcUrl = `http://127.0.0.1:${chainPort}`
    const anvil = join(PROJECT_DIR, 'node_modules/.bin/anvil')
    chain = spawn(anvil, ['--port', String(chainPort), '--silent'], { stdio: 'ignore' })
    const transport = http(rpcUrl, { retryCount: 50, retryDelay: 100 })
    const client = createTestClient({ mode: 'anvil', transport })
    for (const { address } of [relayer, player]) {
      await client.setBalance({ address, value: parseEther('1') })
    }
    beacon = createServer(({ url = '' }, response) => {
      const answer = askRelay(new URL(url, 'http://relay'), Date.now())
      response.statusCode = answer.status
      void answer.text().then((text) => response.end(text))
    })
    const relayPort = await freePort()
    await new Promise<void>((resolve) => beacon.listen(relayPort, '127.0.0.1', resolve))
    relay = `http://127.0.0.1:${relayPort}`
    checkout = await createReadyCheckout()
    const [path, realKey, ownKey] = OWN_BEACON
    const source = join(checkout, path)
    await writeFile(source, (await readFile(source, 'utf8')).replace(realKey, ownKey))
    host = `127.0.0.1:${await freePort()}`
  })

  afterAll(async () => {
    await service?.stop()
    chain.kill()
    beacon.close()
    await removeCheckout(checkout)
    delete process.env['DEPLOYER_PRIVATE_KEY']
    delete process.env['FUNDER_PRIVATE_KEY']
    delete process.env['PLAYER_PRIVATE_KEY']
  })

  async function succeed(run: ReturnType<typeof runCli>): Promise<string> {
    const { exitCode, output } = await run
    expect(exitCode, output).toBe(0)
    return output
  }

  it('has its contracts and a bankroll', async () => {
    process.env['DEPLOYER_PRIVATE_KEY'] = deployer.privateKey
    process.env['FUNDER_PRIVATE_KEY'] = deployer.privateKey
    const accounts = ['--owner', owner.address, '--relayer', relayer.address, '--usdg', 'test']
    const output = await succeed(runCli('deploy-contracts', '--rpc', rpcUrl, ...accounts))
    printed = output.match(/^[A-Z_]+ = ".*"$/gm)?.join('\n') ?? ''
    vaultAddress = getAddress(/VAULT_ADDRESS = "(.*)"/.exec(printed)?.[1] ?? '')
    const of = ['--rpc', rpcUrl, '--vault', vaultAddress]
    const funded = await succeed(runCli('fund', ...of, '--token', 'ETH', '--amount', '10'))
    expect(funded).toContain('The house has 10 ETH more')
  })

  it('passes the doctor with settings from the example', async () => {
    const example = await readFile(join(PROJECT_DIR, 'reference/fairhouse.toml'), 'utf8')
    const settings = example
      .replaceAll('00000000-0000-0000-0000', '0d1c5a3e-0000-4000-8000')
      .replace(/^CHAIN_ID = [^]*?\n\n/m, `${printed}\n\n`)
      .replaceAll('play.example.com', host)
      .replace(/^routes = .*$/m, '')
      .replace('SUPPORT_URL = ""', 'SUPPORT_URL = "mailto:me@localhost"')
      .replace('LOCATION = ""', 'LOCATION = "weur"')
      .replace('CHAIN_CONFIRMATIONS = "12"', 'CHAIN_CONFIRMATIONS = "1"')
      .replace(
        '[vars]\n',
        `[vars]\nDRAND_RELAYS = ["${relay}"]\nCRASH_BETTING_MS = "3000"\nCRASH_EDGE_BPS = "5000"\n`,
      )
    const operators = admins.map(({ address }) => `${address} = "admin"\n`)
    await writeFile(join(checkout, 'fairhouse.toml'), settings + operators.join(''))
    const [logKey] = (await succeed(runCli('log-key', `https://${host}`))).split('\n')
    const secrets = {
      CHAIN_RPC_URL: rpcUrl,
      RPC_UPSTREAMS: JSON.stringify({ 31_337: [rpcUrl.replace('127.0.0.1', 'localhost')] }),
      RELAYER_PRIVATE_KEY: relayer.privateKey,
      LOG_KEY: logKey,
      RECEIPT_KEYS: (await succeed(runCli('receipt-key'))).trim(),
      METRICS_TOKEN: 'ab'.repeat(32),
    }
    const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`)
    await writeFile(join(checkout, '.dev.vars.production'), lines.join(''))
    const found = await succeed(runCliIn(checkout, 'doctor', '--env', 'production'))
    expect(found).toContain('All checks passed.')
  })

  it('starts, and passes the smoke test once its bankroll is counted', async () => {
    for (const database of ['DB', 'HISTORY']) {
      await succeed(
        runCliIn(checkout, 'production', 'd1', 'migrations', 'apply', database, '--local'),
      )
    }
    const command = [join(checkout, 'src/cli/production.ts'), 'dev', '--ip', '127.0.0.1']
    service = await startIn(
      checkout,
      (port) => [process.execPath, ...command, '--port', String(port), '--inspector-port', '0'],
      Number(host.split(':')[1]),
    )
    await fetch(`http://${host}/cdn-cgi/local/scheduled`)
    await poll('The service did not become healthy.', async () => {
      const answer = await fetch(`http://${host}/api/health`)
      return (await answer.json<{ status: string }>()).status === 'up' ? true : null
    })
    expect(await succeed(runCli('smoke', `http://${host}`))).toContain('works.')
  })

  const play = (...args: string[]) => {
    process.env['PLAYER_PRIVATE_KEY'] = player.privateKey
    const site = ['--url', `http://${host}`, '--rpc', rpcUrl]
    return succeed(runCliIn(checkout, 'play', ...site, '--token', 'ETH', ...args))
  }

  it(
    'takes a deposit, and plays a round that its player verifies',
    async () => {
      const played = await play('--amount', '0.01', '--target', '1.01', '--withdraw', 'none')
      expect(played).toContain('deposited 0.01 ETH from your wallet')
      expect(played).toMatch(/was fair: you (won|lost), and every check passed/)
      const verified = await succeed(runCliIn(checkout, 'verify', `http://${host}`))
      expect(verified).not.toContain('✗')
    },
    LONGEST_ROUND_MS,
  )

  it('pays a withdrawal', async () => {
    // Leaves chips to withdraw even if the bet is lost.
    const vault = { rpcUrl, chainId: 31_337, address: vaultAddress, usdg: vaultAddress }
    await new ChainWallet(vault, player.privateKey).deposit('ETH', parseEther('0.05'))
    const played = await play('--game', 'limbo', '--amount', '0.001', '--withdraw', 'all')
    expect(played).toMatch(/paid 0\.\d+ ETH to your wallet: 0x/)
    expect(played).toMatch(/✓ your wallet has exactly 0\.\d+ ETH more/)
  })
})
