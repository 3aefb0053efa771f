import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/cli/shared/port.ts'

const ROOT = join(import.meta.dirname, '../..')
const OUT = join(ROOT, 'contracts/out')

/** Where the setup leaves the node's address for the outbound service. */
const URL_VARIABLE = 'FAIRHOUSE_TEST_CHAIN'

/** Vitest's global setup: one real chain, which every story starts over for itself. */
export async function setup(): Promise<() => void> {
  if (!existsSync(OUT)) {
    execFileSync(process.execPath, [join(ROOT, 'contracts/forge.mjs'), 'build'], { cwd: ROOT })
  }
  const port = await freePort()
  const anvil = spawn(
    join(ROOT, 'node_modules/.bin/anvil'),
    ['--port', String(port), '--silent', '--balance', '1000000'],
    { stdio: 'ignore' },
  )
  process.env[URL_VARIABLE] = `http://127.0.0.1:${port}`
  return () => void anvil.kill()
}

/**
 * Answers what the runtime under test asks the outside: `chain.test` is the chain, `contracts.test`
 * what forge has compiled, `uniswap.test` what Uniswap has, and there is nothing else.
 */
export async function outbound(request: {
  url: string
  text(): Promise<string>
}): Promise<Response> {
  const { hostname, pathname } = new URL(request.url)
  const headers = { 'content-type': 'application/json' }
  if (hostname === 'contracts.test') {
    return new Response(readFileSync(join(OUT, pathname), 'utf8'), { headers })
  }
  if (hostname === 'uniswap.test') {
    const built = join(ROOT, 'node_modules/@uniswap', pathname)
    return new Response(readFileSync(built, 'utf8'), { headers })
  }
  const url = process.env[URL_VARIABLE]
  if (hostname !== 'chain.test' || !url) return new Response('nobody', { status: 502 })
  const answer = await fetch(url, { method: 'POST', headers, body: await request.text() })
  return new Response(await answer.text(), { headers })
}
