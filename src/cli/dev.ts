// npm run dev: runs the whole service and a chain on this machine, with players who have chips and
// tokens. Needs no account and no internet. Every start resets everything.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { perToken, type PerToken } from '../money/token.ts'
import { deployVault, forgeBuild, type Deployment } from './deploy-contracts/contracts.ts'
import { deployPrizes } from './dev/deploy-prizes.ts'
import { localChain, LOCAL_CHAIN_ID, rpcUrlOf } from './dev/local-chain.ts'
import { servePosts } from './dev/posts.ts'
import { handOut, prizeVarsOf, shareProviders, varsOf, WELCOME_WEI } from './dev/setting.ts'
import { showAmount } from './shared/amounts.ts'
import { Client, ServiceError } from './shared/client.ts'
import { newDevLogKey } from './shared/dev-log-key.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from './shared/dev-partners.ts'
import { devOwner, devPlayers, devProtocolWallet, devRelayer } from './shared/dev-players.ts'
import {
  findBaseUrl,
  MANIFEST,
  PROJECT_DIR,
  removeManifest,
  writeManifest,
} from './shared/manifest.ts'
import { Player } from './shared/player.ts'
import { poll } from './shared/poll.ts'
import { freePort, isFree } from './shared/port.ts'
import { ProcessGroup } from './shared/process-group.ts'
import { ServiceProcess, stateEnv, wranglerDev } from './shared/service-process.ts'
import { CommandError, readArgs, runCommand, wholeNumber } from './shared/terminal.ts'

const USAGE = `Usage: npm run dev [-- --port N] [--chain-port N]

Runs the service and a local chain on this machine until Ctrl-C. The service's port is 8787 or PORT;
the chain uses any free port by default. Every start resets everything.`

const DEFAULT_PORT = 8787
const IN_PROJECT = { projectDir: PROJECT_DIR }

/** The interval of the cron trigger, which wrangler dev doesn't fire on its own. */
const SWEEP_EVERY_MS = 60_000

const PARENT_WATCH_MS = 250

/** The processes this command has started, to be stopped together. */
class Children {
  readonly #started: ProcessGroup[] = []
  #areStopping = false

  /** Starts a server on a local port. */
  serve(command: string[], port: number, env: Record<string, string> = {}): ServiceProcess {
    const onOutput = (text: string) => void process.stderr.write(text)
    return this.#start(() => new ServiceProcess(command, { ...IN_PROJECT, port, onOutput, env }))
  }

  /** Runs a command to its end, and prints its output only if it fails. */
  async run(what: string, command: string[]): Promise<void> {
    let output = ''
    const onOutput = (text: string) => (output += text)
    const child = this.#start(() => new ProcessGroup(command, { ...IN_PROJECT, onOutput }))
    if ((await child.ended) !== 0) throw new CommandError(`${what} failed.\n${output}`)
  }

  /** Stops all processes, the newest first, because the service needs its chain. */
  async stop(): Promise<void> {
    this.#areStopping = true
    for (const child of this.#started.toReversed()) await child.stop()
  }

  #start<T extends ProcessGroup>(start: () => T): T {
    if (this.#areStopping) throw new CommandError('Stopping, so nothing new is started.')
    const child = start()
    this.#started.push(child)
    return child
  }
}

void runCommand(async () => {
  const options = { port: { type: 'string' }, 'chain-port': { type: 'string' } } as const
  const { values } = readArgs(USAGE, { options })
  const portText = values.port ?? process.env['PORT'] ?? String(DEFAULT_PORT)
  const port = wholeNumber('The port', portText, 1, 65_535)
  await expectAlone()
  await expectFree(port, '--port')
  const chainPort = await chooseChainPort(values['chain-port'])
  await removeManifest()

  const children = new Children()
  try {
    return await Promise.race([serve(children, port, chainPort), interrupted()])
  } finally {
    // The manifest describes a running service.
    await removeManifest()
    await children.stop()
  }
})

/** Runs the chain and the service until one of them ends. */
async function serve(children: Children, port: number, chainPort: number): Promise<never> {
  console.log(
    'Starting Fairhouse … The first start compiles the contracts and takes about a minute.',
  )
  await children.run('Building the contracts', forgeBuild(PROJECT_DIR))
  const [owner, relayer, players] = [devOwner(), devRelayer(), devPlayers()]
  const chain = children.serve(localChain(PROJECT_DIR, chainPort), chainPort)
  await chain.ready()
  const rpcUrl = rpcUrlOf(chainPort)
  const vault = await deployVault(PROJECT_DIR, rpcUrl, { owner, relayer })
  const prizes = await deployPrizes(PROJECT_DIR, rpcUrl, { owner, relayer })

  const postsPort = await freePort()
  const posts = `http://localhost:${postsPort}`
  servePosts(postsPort)
  const site = { domain: `localhost:${port}`, origin: `http://localhost:${port}` }
  const vars = {
    SITE_DOMAIN: site.domain,
    SITE_ORIGIN: site.origin,
    // The log is new at every start. With the key of the last one, it would look like a fork.
    LOG_KEY: newDevLogKey(site.origin),
    ...varsOf(vault),
    ...prizeVarsOf(prizes),
    SHARE_PROVIDERS: shareProviders(posts),
    // The page's development wallet sends its transactions through the service.
    RPC_SEND_TRANSACTIONS: 'true',
  }
  const stateDir = join(PROJECT_DIR, '.dev/state', String(port))
  // The chain is new, so the service's state of the old one must go.
  await rm(stateDir, { recursive: true, force: true })
  const command = wranglerDev(PROJECT_DIR, port, vars, stateDir)
  const service = children.serve(command, port, stateEnv(stateDir))
  await Promise.all([service.ready(), handOut(vault)])
  const house = await countHouse(service.baseUrl)
  await writeManifest({
    baseUrl: service.baseUrl,
    chainId: vault.chainId,
    rpcUrl: vault.rpcUrl,
    ...site,
    partner: DEV_PARTNER,
    otherPartner: OTHER_DEV_PARTNER,
    contracts: {
      vault: vault.address,
      usdg: vault.usdg,
      boxNft: prizes.boxNft,
      award: prizes.award,
      rewardToken: prizes.rewardToken,
      router: prizes.router,
      stock: prizes.stock,
    },
    lootbox: { pool: prizes.pool },
    posts,
    protocolWallet: devProtocolWallet().address,
    owner,
    relayer,
    players,
  })
  console.log(statusScreen(service.baseUrl, vault, house, players.length, posts))
  const sweeping = setInterval(() => void sweep(service), SWEEP_EVERY_MS)
  const ended = await Promise.race([
    service.ended.then(() => 'service'),
    chain.ended.then(() => 'chain'),
  ])
  clearInterval(sweeping)
  throw new CommandError(`The ${ended} ended unexpectedly. See its output above.`)
}

/** Has the service credit the house's funding. Retries, because a busy machine may not be ready yet. */
async function countHouse(baseUrl: string): Promise<PerToken<string>> {
  const owner = new Player(new Client(baseUrl), devOwner().privateKey)
  await owner.signIn(await owner.signInMessage())
  return poll(
    "The service did not count the house's funds in time. See its output above, then start again.",
    async () => {
      try {
        return (await owner.houseTopup()).house
      } catch (fault) {
        if (fault instanceof ServiceError && fault.status === 503) return null
        throw fault
      }
    },
  )
}

/** Resolves with the exit code on Ctrl-C, a signal, or the end of npm. */
async function interrupted(): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    const { ppid: parent, env } = process
    // A signal to npm ends npm and its shell, but doesn't reach this process.
    const watch = () => process.ppid !== parent && resolve()
    if (env['npm_lifecycle_event']) setInterval(watch, PARENT_WATCH_MS).unref()
  })
  console.log('\nStopping …')
  return 0
}

function statusScreen(
  baseUrl: string,
  { rpcUrl, address, usdg }: Deployment,
  house: PerToken<string>,
  playerCount: number,
  posts: string,
): string {
  const url = baseUrl.endsWith(`:${DEFAULT_PORT}`) ? '' : ` -- --url ${baseUrl}`
  const chips = perToken((token) => showAmount(WELCOME_WEI[token], token))
  const bank = perToken((token) => showAmount(BigInt(house[token]), token))
  const rows = {
    Service: baseUrl,
    Chain: `${rpcUrl}, chain id ${LOCAL_CHAIN_ID}`,
    Vault: address,
    USDG: usdg,
    House: `${bank.ETH} and ${bank.USDG}`,
    Players: `${playerCount}, each with ${chips.ETH} and ${chips.USDG} in chips, and more on chain`,
    Keys: MANIFEST,
    Posts: `${posts}, for free spins`,
    Play: `npm run play${url}`,
    Watch: `curl '${baseUrl}/api/crash?action=watch'`,
    Verify: `npm run verify -- ${baseUrl}`,
    Certify: 'npm run certify',
    Stop: 'Ctrl-C',
  }
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(9)}${value}`)
  return `\n${styleText('bold', 'Fairhouse is running.')}\n\n${lines.join('\n')}\n`
}

async function sweep({ baseUrl }: ServiceProcess): Promise<void> {
  // A failed sweep is repeated in a minute.
  await fetch(`${baseUrl}/cdn-cgi/local/scheduled`).catch(() => {})
}

async function chooseChainPort(text: string | undefined): Promise<number> {
  if (text === undefined) return freePort()
  const port = wholeNumber('--chain-port', text, 1, 65_535)
  await expectFree(port, '--chain-port')
  return port
}

/** Refuses to replace the manifest of another `npm run dev` in this folder, whose clients need it. */
async function expectAlone(): Promise<void> {
  const baseUrl = await findBaseUrl()
  if (baseUrl === null || (await isFree(Number(new URL(baseUrl).port)))) return
  throw new CommandError(
    `Fairhouse already runs from this folder at ${baseUrl}. Stop it first. If another program answers there, remove ${MANIFEST}.`,
  )
}

/** Checks a port early, for a clearer message than wrangler's or the chain's. */
async function expectFree(port: number, option: string): Promise<void> {
  if (await isFree(port)) return
  const advice = `Stop the process that uses it, or choose another port: npm run dev -- ${option} ${port + 1}`
  throw new CommandError(`Port ${port} is taken. ${advice}`)
}
