import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localChain, rpcUrlOf } from '../../src/cli/dev/local-chain.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { ServiceProcess } from '../../src/cli/shared/service-process.ts'
import { startService, type StartedService, PROJECT_DIR } from '../scenarios/started-service.ts'
import { openBrowser } from './browser.ts'

const player = devPlayer(0).address

let chain: ServiceProcess
let service: StartedService
let pages: Server
let pagePort: number
let browser: Browser

beforeAll(async () => {
  const port = await freePort()
  pagePort = await freePort()
  const options = { projectDir: PROJECT_DIR, port, onOutput: () => {} }
  chain = new ServiceProcess(localChain(PROJECT_DIR, port), options)
  await chain.ready()
  const site = { SITE_ORIGIN: `http://localhost:${pagePort}`, SITE_DOMAIN: `localhost:${pagePort}` }
  service = await startService({ CHAIN_RPC_URL: rpcUrlOf(port), ...site })
  pages = await servePages()
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  pages?.close()
  await service?.stop()
  await chain?.stop()
})

/** A separate site with the page's script. */
async function servePages(): Promise<Server> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'rpc-page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
  })
  const script = outputFiles[0]?.text ?? ''
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><script type="module">${script}</script>`)
  })
  await new Promise<void>((resolve) => server.listen(pagePort, resolve))
  return server
}

async function pageAt(origin: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(origin)
  await page.waitForFunction('globalThis.look !== undefined')
  return page
}

const look = (page: Page) =>
  page.evaluate<string>(`look('${service.baseUrl}/api/rpc', '${player}')`)

describe('a page in a real browser', () => {
  it('reads the chain from its own site through the service, with unmodified viem', async () => {
    const page = await pageAt(`http://localhost:${pagePort}`)
    expect(await look(page)).toBe(`31337 ${10n ** 24n} 0`)
  })

  it('of another site is blocked by the browser', async () => {
    const page = await pageAt(`http://127.0.0.1:${pagePort}`)
    const blocked: string[] = []
    page.on('console', (message) => blocked.push(message.text()))
    await expect(look(page)).rejects.toThrow(/HTTP request failed|Failed to fetch/)
    expect(blocked.join()).toContain('CORS')
  })
})
