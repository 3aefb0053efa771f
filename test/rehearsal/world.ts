import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createTestClient, http, parseEther, publicActions, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { prizePoolAbi, vaultAbi } from '../../src/chain/abi.ts'
import {
  deployVault,
  forgeBuild,
  type Deployment,
} from '../../src/cli/deploy-contracts/contracts.ts'
import { Site as Deployer } from '../../src/cli/deploy-contracts/site.ts'
import { deployPrizes, type Prizes } from '../../src/cli/dev/deploy-prizes.ts'
import { localChain, rpcUrlOf } from '../../src/cli/dev/local-chain.ts'
import { handOut } from '../../src/cli/dev/setting.ts'
import { ChainAccount } from '../../src/cli/shared/chain-account.ts'
import { Client } from '../../src/cli/shared/client.ts'
import { devOwner, devPlayer } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { ProcessGroup } from '../../src/cli/shared/process-group.ts'
import { ServiceProcess } from '../../src/cli/shared/service-process.ts'
import { trustOwnBeacon } from '../lying-house/beacon.ts'
import { driveDate } from './driven-date.ts'
import { serveNode, serveRelay, type Outside } from './faults.ts'
import { Prometheus, SCRAPE_MS } from './prometheus.ts'
import { ORIGIN, Site } from './site.ts'

const ROOT = join(import.meta.dirname, '../..')
const CONFIRMATIONS = 12
/** Returns the line of the only partner. @param dayUsdg its limit of a day, in smallest units */
const partnersLine = (dayUsdg: string) => {
  const limits = (usdg: string) => `{ ETH = "1000000000000000000", USDG = "${usdg}" }`
  return `{ acme = { requireBodyHash = true, consent = "implied", maxCredit = ${limits('1000000000')}, maxNetCreditPerDay = ${limits(dayUsdg)}, settled = { ETH = "0", USDG = "0" } } }`
}

export const PARTNER = { id: 'acme', secret: randomBytes(32).toString('hex') }

/** A site in production with its chain, its players, and an operator who watches it. */
export class World {
  readonly site: Site
  readonly vault: Deployment
  readonly prizes: Prizes
  /** The node that the service uses, and another one. */
  readonly nodes: [Outside, Outside]
  /** The relays that can be used, of which the first one is. */
  readonly relays: [Outside, Outside]
  readonly relayer: Hex
  readonly operators: [Hex, Hex]
  readonly #chain: ServiceProcess
  /** Whether players look at the table, and a monitor at the log. */
  areWatching = false
  /** The token that Prometheus sends. */
  scrapeToken: string
  #prometheus!: Prometheus
  #halfMinutes = 0

  private constructor(
    parts: Pick<
      World,
      'site' | 'vault' | 'prizes' | 'nodes' | 'relays' | 'relayer' | 'operators'
    > & { chain: ServiceProcess },
  ) {
    this.site = parts.site
    this.vault = parts.vault
    this.prizes = parts.prizes
    this.nodes = parts.nodes
    this.relays = parts.relays
    this.relayer = parts.relayer
    this.operators = parts.operators
    this.#chain = parts.chain
    this.scrapeToken = parts.site.metricsToken
    driveDate(() => parts.site.aheadMs)
  }

  static async open(): Promise<World> {
    trustOwnBeacon()
    await built()
    const port = await freePort()
    const chain = new ServiceProcess(localChain(ROOT, port), {
      projectDir: ROOT,
      port,
      onOutput: () => {},
    })
    await chain.ready()
    const relayerKey = generatePrivateKey()
    const relayer = { address: privateKeyToAccount(relayerKey).address, privateKey: relayerKey }
    const parties = { owner: devOwner(), relayer }
    const vault = await deployVault(ROOT, rpcUrlOf(port), parties)
    const prizes = await deployPrizes(ROOT, rpcUrlOf(port), parties)
    await handOut(vault)
    await new Deployer(ROOT, rpcUrlOf(port), devOwner()).send(relayer.address, parseEther('10'))
    const nodes: World['nodes'] = [await serveNode(vault.rpcUrl), await serveNode(vault.rpcUrl)]
    const relays: World['relays'] = [await serveRelay(), await serveRelay()]
    const operators: World['operators'] = [generatePrivateKey(), generatePrivateKey()]
    const site = await Site.create(
      {
        CHAIN_ID: '"31337"',
        CHAIN_CONFIRMATIONS: JSON.stringify(String(CONFIRMATIONS)),
        VAULT_ADDRESS: JSON.stringify(vault.address),
        USDG_ADDRESS: JSON.stringify(vault.usdg),
        VAULT_START_BLOCK: JSON.stringify(String(vault.startBlock)),
        DRAND_RELAYS: JSON.stringify([relays[0].url]),
        LOOTBOX_POOL: JSON.stringify(prizes.pool),
        REWARD_TOKEN_ADDRESS: JSON.stringify(prizes.rewardToken),
        WETH_ADDRESS: JSON.stringify(prizes.weth),
        PARTNERS: partnersLine('1000000000'),
        OPERATORS: `{ ${operators.map((key) => `${privateKeyToAccount(key).address} = "admin"`).join(', ')} }`,
      },
      {
        CHAIN_RPC_URL: nodes[0].url,
        RELAYER_PRIVATE_KEY: relayerKey,
        RPC_UPSTREAMS: '{"31337": ["https://public.fairhouse.internal"]}',
        PARTNER_KEYS: JSON.stringify({ [PARTNER.id]: { first: PARTNER.secret } }),
      },
    )
    const world = new World({
      site,
      vault,
      prizes,
      nodes,
      relays,
      relayer: relayer.address,
      operators,
      chain,
    })
    await world.#mine(CONFIRMATIONS)
    await site.deploy()
    await world.watch()
    await world.minutes(2)
    return world
  }

  /** The chain, past the nodes that fail. */
  get chain() {
    const transport = http(this.vault.rpcUrl, { retryCount: 0 })
    return createTestClient({ mode: 'anvil', transport, cacheTime: 0 }).extend(publicActions)
  }

  /** Calls the vault as its owner. */
  asOwner(name: 'pause' | 'unpause' | 'announceRelayer', ...args: Hex[]): Promise<void> {
    const deployer = new Deployer(ROOT, this.vault.rpcUrl, devOwner())
    return deployer.call(this.vault.address, vaultAbi, name, args)
  }

  /** Sets the prize pool's payer as its owner. */
  setPayer(payer: Hex): Promise<void> {
    const deployer = new Deployer(ROOT, this.vault.rpcUrl, devOwner())
    return deployer.call(this.prizes.pool, prizePoolAbi, 'setPayer', [payer])
  }

  /** Sends as an account whose key nobody has. */
  async as(from: Hex, to: Hex, { value = 0n, data = '0x' }: { value?: bigint; data?: Hex }) {
    const { chain } = this
    const balance = await chain.getBalance({ address: from })
    await chain.impersonateAccount({ address: from })
    const gas = parseEther('1')
    await chain.setBalance({ address: from, value: balance + gas })
    const hash = await chain.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, value: `0x${value.toString(16)}`, data }],
    } as never)
    await chain.waitForTransactionReceipt({ hash })
    await chain.setBalance({ address: from, value: balance - value })
    await chain.stopImpersonatingAccount({ address: from })
  }

  /** Restarts Prometheus without its earlier samples. */
  async watch(): Promise<void> {
    this.#prometheus = await Prometheus.start(this.site.folder, Date.now())
    await this.#scrape()
  }

  /** Lets minutes pass, with the cron trigger in each and two scrapes. */
  async minutes(count: number): Promise<void> {
    for (let half = 0; half < count * 2; half++) {
      await this.site.drive({ order: 'pass', ms: SCRAPE_MS, isLeap: false })
      await this.#mine(SCRAPE_MS / 1_000)
      if (this.areWatching) await this.#look()
      if (++this.#halfMinutes % 2 === 0) await this.site.drive({ order: 'cron' })
      await this.#scrape()
    }
  }

  /** Lets a longer time pass at once. Alarms ring late, and Prometheus misses some scrapes. */
  async leap(ms: number): Promise<void> {
    await this.site.drive({ order: 'pass', ms, isLeap: true })
    await this.#mine(ms / 1_000)
    await this.site.drive({ order: 'cron' })
    await this.#scrape()
  }

  firing(): Promise<string[]> {
    return this.#prometheus.firing()
  }

  /** Lets minutes pass until something holds, at most some. */
  async until(holds: () => boolean | Promise<boolean>, most: number): Promise<void> {
    for (let minute = 0; minute < most; minute++) {
      if (await holds()) return
      await this.minutes(1)
    }
    if (!(await holds())) throw new Error(`not within ${most} minutes: ${String(holds)}`)
  }

  isUp(part: string): boolean {
    return this.metric(`fairhouse_part_up{part="${part}"}`) === 1
  }

  /** Returns the parts that the public health shows as degraded. */
  async degraded(): Promise<string[]> {
    const answer = await fetch(`${this.site.baseUrl}/api/health`)
    const { parts } = await answer.json<{ parts: Record<string, { status: string }> }>()
    return Object.keys(parts).filter((name) => parts[name]?.status === 'degraded')
  }

  /** The relay or the node in use has failed; the other one takes its place. */
  swap(pair: 'nodes' | 'relays'): void {
    this[pair].reverse()
    for (const outside of this[pair]) outside.fails = () => false
  }

  /** Returns a signed-in player of the local chain. */
  async player(index: number): Promise<Player> {
    const player = new Player(new Client(this.site.baseUrl), devPlayer(index).privateKey)
    await player.signIn(await player.signInMessage())
    return player
  }

  /** Has an operator order what one may. */
  async operate(act: string): Promise<void> {
    const cli = join(ROOT, 'src/cli/operate.ts')
    const { exitCode, output } = await this.run(
      `${process.execPath} ${cli} ${act} --reason rehearsal --url ${ORIGIN}`,
    )
    if (exitCode !== 0) throw new Error(output)
  }

  setPartnerLimit(dayUsdg: string): Promise<void> {
    return this.site.edit({ PARTNERS: partnersLine(dayUsdg) })
  }

  /** Pays for a lootbox. Returns the payment's hash. */
  async payForLootbox(index: number): Promise<Hex> {
    const account = new ChainAccount(this.vault.rpcUrl, devPlayer(index).privateKey)
    const value = parseEther('0.01')
    return (await account.send({ to: this.prizes.pool, value })).transactionHash
  }

  /** Opens a lootbox with a payment that has its confirmations. */
  async openLootbox(index: number, txHash: Hex): Promise<void> {
    const client = new Client(this.site.baseUrl)
    const wallet = devPlayer(index).address
    await client.post('/api/lootbox', { action: 'open', wallet, txHash })
  }

  /** Has a player of the local chain play once. */
  async play(index: number): Promise<void> {
    const player = await this.player(index)
    const { fairness } = await player.terms()
    const stake = { token: 'USDG', amountWei: '1000000', clientSeed: 'rehearsal' }
    await player.play({ game: 'limbo', params: { target: 2 }, nonce: fairness.nonce, ...stake })
  }

  /** Returns the latest scraped value of a series. */
  metric(series: string): number {
    return Number(this.#prometheus.latest(series) ?? NaN)
  }

  /** Returns the health of the service and its latest log lines, to explain a failure. */
  async report(): Promise<string> {
    const read = async (path: string) => (await fetch(`${this.site.baseUrl}${path}`)).text()
    const answers = await Promise.all(['/api/health', '/api/crash?action=watch'].map(read))
    const lines = this.site.logs.filter((line) => !line.includes('"movement"')).slice(-20)
    return [new Date().toISOString(), ...answers, ...lines].join('\n')
  }

  /** Returns the lines of the log with an event, newest last. */
  logged(event: string): Record<string, unknown>[] {
    return this.site.logs.flatMap((line) => {
      if (!line.includes(`"${event}"`)) return []
      return [JSON.parse(line) as Record<string, unknown>]
    })
  }

  /** Runs a command in a shell, as an operator with everything in its environment. */
  run(
    command: string,
    key: string = this.operators[0],
  ): Promise<{ exitCode: number; output: string }> {
    const preload = join(import.meta.dirname, 'preload.ts')
    const env = {
      ...process.env,
      NODE_OPTIONS: `--import ${preload}`,
      NODE_NO_WARNINGS: '1',
      REHEARSAL_AHEAD_MS: String(this.site.aheadMs),
      REHEARSAL_SITE: ORIGIN,
      REHEARSAL_SERVICE: this.site.baseUrl,
      METRICS_TOKEN: this.site.metricsToken,
      OPERATOR_PRIVATE_KEY: key,
    }
    return new Promise((resolve) => {
      const child = execFile(
        'sh',
        // Who follows a runbook means it.
        ['-c', `echo yes | { ${command}\n}`],
        { cwd: this.site.folder, env },
        (_fault, stdout, stderr) =>
          resolve({ exitCode: child.exitCode ?? -1, output: stdout + stderr }),
      )
    })
  }

  async close(): Promise<void> {
    for (const outside of [...this.nodes, ...this.relays]) outside.close()
    await this.site.close()
    await this.#chain.stop()
  }

  async #look(): Promise<void> {
    for (const path of ['/api/crash?action=watch', '/log/checkpoint']) {
      const answer = await fetch(`${this.site.baseUrl}${path}`)
      await answer.body?.cancel()
    }
  }

  /** Makes blocks, one a second at the end of a time in seconds. */
  async #mine(seconds: number): Promise<void> {
    const blocks = CONFIRMATIONS + 1
    const { chain } = this
    if (seconds > blocks) await chain.increaseTime({ seconds: Math.floor(seconds) - blocks })
    await chain.mine({ blocks, interval: 1 })
  }

  async #scrape(): Promise<void> {
    const headers = { authorization: `Bearer ${this.scrapeToken}` }
    const answer = await fetch(`${this.site.baseUrl}/api/metrics`, { headers })
    const text = await answer.text()
    this.#prometheus.take(answer.ok ? text : null, Date.now())
  }
}

async function built(): Promise<void> {
  let output = ''
  const onOutput = (text: string) => (output += text)
  const forge = new ProcessGroup(forgeBuild(ROOT), { projectDir: ROOT, onOutput })
  if ((await forge.ended) !== 0) throw new Error(`The contracts were not built.\n${output}`)
}
