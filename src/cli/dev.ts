// npm run dev: the whole service on this machine, with players who have chips. No account needed.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { perToken, TOKENS } from '../money/token.ts'
import { readAmount, showAmount } from './amounts.ts'
import { Client } from './client.ts'
import { devPlayers } from './dev-players.ts'
import { Player } from './player.ts'
import { ServiceProcess, wranglerDev } from './service-process.ts'
import { CommandError, readArgs, runCommand, wholeNumber } from './terminal.ts'

const USAGE = `Usage: npm run dev [-- --port N]

Runs the service on this machine until Ctrl-C. The port is 8787, or what PORT says.`

const DEFAULT_PORT = 8787
const PROJECT_DIR = join(import.meta.dirname, '../..')
const MANIFEST = '.dev/manifest.json'
const CHAIN_ID = 31337

/** Chips each player is given, once for ever. */
const WELCOME_WEI = { ETH: readAmount('10', 'ETH'), USDG: readAmount('10000', 'USDG') }

/** What cron does on Cloudflare; wrangler dev leaves it to whoever runs it. */
const SWEEP_EVERY_MS = 60_000

const PARENT_WATCH_MS = 250

void runCommand(async () => {
  const { values } = readArgs(USAGE, { options: { port: { type: 'string' } } })
  const portText = values.port ?? process.env['PORT'] ?? String(DEFAULT_PORT)
  const port = wholeNumber('The port', portText, 1, 65_535)
  await expectFree(port)
  await rm(join(PROJECT_DIR, MANIFEST), { force: true })

  const site = { domain: `localhost:${port}`, origin: `http://localhost:${port}` }
  const vars = { SITE_DOMAIN: site.domain, SITE_ORIGIN: site.origin, CHAIN_ID: String(CHAIN_ID) }
  const service = new ServiceProcess(wranglerDev(PROJECT_DIR, port, vars), {
    projectDir: PROJECT_DIR,
    port,
    onOutput: (text) => process.stderr.write(text),
  })
  const sweeping = setInterval(() => void sweep(service), SWEEP_EVERY_MS)
  try {
    return await Promise.race([serve(service, site), interrupted()])
  } finally {
    clearInterval(sweeping)
    await service.stop()
  }
})

/** Runs for as long as the service does. */
async function serve(
  service: ServiceProcess,
  site: { domain: string; origin: string },
): Promise<never> {
  console.log('Starting Fairhouse …')
  await service.ready()
  const players = devPlayers()
  const client = new Client(service.baseUrl)
  for (const { privateKey } of players) {
    const player = new Player(client, privateKey)
    for (const token of TOKENS) {
      const amountWei = WELCOME_WEI[token]
      // The faucet knows the id again at the next start.
      await player.takeChips(token, amountWei, `welcome:${amountWei}:${token}`)
    }
  }
  await writeManifest({
    baseUrl: service.baseUrl,
    chainId: CHAIN_ID,
    rpcUrl: null,
    ...site,
    contracts: {},
    players,
  })
  console.log(statusScreen(service.baseUrl, players.length))
  await service.ended
  throw new CommandError('The service has ended by itself; what it said is above.')
}

/** Settles with the exit code when the person at the terminal has had enough. */
async function interrupted(): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    const { ppid: parent, env } = process
    // A signal to npm ends npm and its shell, and does not come here.
    const watch = () => process.ppid !== parent && resolve()
    if (env['npm_lifecycle_event']) setInterval(watch, PARENT_WATCH_MS).unref()
  })
  console.log('\nStopping …')
  return 0
}

function statusScreen(baseUrl: string, playerCount: number): string {
  const url = baseUrl.endsWith(`:${DEFAULT_PORT}`) ? '' : ` -- --url ${baseUrl}`
  const chips = perToken((token) => showAmount(WELCOME_WEI[token], token))
  const rows = {
    Service: baseUrl,
    Play: `npm run play${url}`,
    Watch: `curl '${baseUrl}/api/crash?action=watch'`,
    Verify: `npm run verify -- ${baseUrl}`,
    Players: `${playerCount}, given ${chips.ETH} and ${chips.USDG} each: ${MANIFEST}`,
    Stop: 'Ctrl-C',
  }
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(9)}${value}`)
  return `\n${styleText('bold', 'Fairhouse is running.')}\n\n${lines.join('\n')}\n`
}

/** What an outside client needs in order to play. It is there as soon as one can. */
async function writeManifest(manifest: object): Promise<void> {
  await mkdir(join(PROJECT_DIR, '.dev'), { recursive: true })
  await writeFile(join(PROJECT_DIR, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function sweep({ baseUrl }: ServiceProcess): Promise<void> {
  // A sweep that cannot be asked for now is asked for again in a minute.
  await fetch(`${baseUrl}/cdn-cgi/local/scheduled`).catch(() => {})
}

/** Says who has to move before wrangler does, in its own words. */
async function expectFree(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer()
      .once('error', () => {
        const advice = `Stop what runs there, or choose another: npm run dev -- --port ${port + 1}`
        reject(new CommandError(`Port ${port} is taken. ${advice}`))
      })
      .listen(port, 'localhost', () => server.close(() => resolve()))
  })
}
