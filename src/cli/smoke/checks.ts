import type { ChainCheck } from '../../chain/check.ts'
import type { Health } from '../../health/health.ts'
import { Client, ServiceError, Unanswered } from '../shared/client.ts'
import { SiteLog } from '../verify/site-log.ts'

/** How far the service's clock may be from this machine's. */
const MAX_SKEW_MS = 5_000

/**
 * Names the version that is to answer:
 * https://developers.cloudflare.com/workers/versions-and-deployments/version-overrides/
 */
const OVERRIDES = 'Cloudflare-Workers-Version-Overrides'

const NOBODY = '0x000000000000000000000000000000000000dead'
const HASH = /^[0-9a-f]{64}$/

/** A version of a Worker, which may be deployed beside another one. */
export interface Version {
  /** The Worker's name. */
  worker: string
  id: string
}

interface Site {
  client: Client
  origin: URL
  /** Sent with each request. */
  headers: Record<string, string>
}

interface Table {
  roundId: number
  seedHash: string
  serverTime: number
}

/** A claim that must hold, and a check that returns a problem, or null. */
const CHECKS: Record<string, (site: Site) => Promise<string | null>> = {
  'every part is up': async ({ client }) => {
    const { parts } = await client.get<Health>('/api/health')
    const degraded = Object.entries(parts).flatMap(([name, { status, message }]) =>
      status === 'degraded' ? [`${name} (${message ?? 'no reason given'})`] : [],
    )
    return degraded.length === 0 ? null : `Degraded: ${degraded.join(', ')}`
  },
  'the table commits to its round': async ({ client }) => {
    const { roundId, seedHash } = await readTable(client)
    return roundId > 0 && HASH.test(seedHash) ? null : `Round ${roundId} shows no seed hash.`
  },
  'its clock is right': async ({ client }) => {
    const sentAt = Date.now()
    const { serverTime } = await readTable(client)
    const isRight = serverTime > sentAt - MAX_SKEW_MS && serverTime < Date.now() + MAX_SKEW_MS
    return isRight ? null : `It shows ${new Date(serverTime).toISOString()}.`
  },
  'it publishes what it commits to, and signs receipts': async ({ client, origin }) => {
    // Local play may do without.
    if (origin.protocol !== 'https:') return null
    const { parts } = await client.get<Health>('/api/health')
    if (parts.log.status === 'off') return 'It has no public log. Set the secret LOG_KEY.'
    const { keys } = await client.get<{ keys: unknown[] }>('/.well-known/jwks.json')
    return keys.length > 0 ? null : 'It signs no receipts. Set the secret RECEIPT_KEYS.'
  },
  'requests by http are led to https': async ({ origin }) => {
    // On another port, as in a rehearsal on one's own machine, nobody waits for http.
    if (origin.protocol !== 'https:' || origin.port !== '') return null
    const plain = `http://${origin.host}/`
    const answer = await fetch(plain, { redirect: 'manual' }).catch(() => null)
    if (!answer) return null
    await answer.body?.cancel()
    if (answer.headers.get('location')?.startsWith('https:')) return null
    return `${plain} answers with status ${answer.status}. Switch on "Always Use HTTPS" for the zone.`
  },
  'the public log is signed and has the terms': async ({ client, origin }) => {
    const log = await SiteLog.open(origin, null)
    if (!log) return null
    // The games have their terms logged before they show them, also those of a version that has no other calls yet.
    const { hash } = (await readGames(client)).terms
    return (await log.find('terms', hash)) ? null : `It doesn't have the terms ${hash}.`
  },
  'the games show their terms': async ({ client }) => {
    const { terms } = await readGames(client)
    return HASH.test(terms.hash) ? null : 'They show no hash of their terms.'
  },
  'wallets sign in to this address': async ({ client, origin }) => {
    const { message } = await client.get<{ message: string }>('/api/auth/message', {
      wallet: NOBODY,
    })
    const [line = ''] = message.split('\n')
    return line.startsWith(`${origin.host} `) ? null : `The message says: ${line}`
  },
  'a stake without a valid signature is refused': async ({ client }) => {
    const stake = { game: 'limbo', params: { target: 2 }, token: 'ETH', amountWei: '1' }
    const call = { action: 'play', wallet: NOBODY, authSig: `0x${'11'.repeat(65)}`, ...stake }
    try {
      await client.post('/api/entropy', call)
    } catch (fault) {
      if (fault instanceof ServiceError && fault.code === 'auth_invalid') return null
      throw fault
    }
    return 'It was accepted.'
  },
  'the page loads with its scripts and styles': async ({ origin, headers }) => {
    const page = await fetch(origin, { headers })
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^"#]+\.(?:js|css))"/g)]
    const answers = await Promise.all(
      files.map(
        async ([, path = '']) => [path, await fetch(new URL(path, origin), { headers })] as const,
      ),
    )
    const missing = answers.filter(([, { ok }]) => !ok).map(([path]) => path)
    if (!page.ok || files.length === 0) return `The page answers with status ${page.status}.`
    return missing.length === 0 ? null : `Missing: ${missing.join(', ')}`
  },
}

/**
 * Checks a site from outside, one claim after the other. Changes nothing there. If it doesn't answer the first check,
 * says so once.
 * @param version the one that must answer, if several are deployed; null for any
 */
export async function smokeChecks(origin: URL, version: Version | null): Promise<ChainCheck[]> {
  const headers: Site['headers'] =
    version === null ? {} : { [OVERRIDES]: `${version.worker}="${version.id}"` }
  const site = { client: new Client(origin.href, undefined, headers), origin, headers }
  const results: ChainCheck[] = []
  const checks = version === null ? CHECKS : { ...CHECKS, ...versionCheck(version) }
  for (const [claim, check] of Object.entries(checks)) {
    const fault = await check(site).catch((caught: unknown) => {
      if (caught instanceof Error) return caught
      throw caught
    })
    const problem = fault instanceof Error ? fault.message : fault
    if (fault instanceof Unanswered && results.length === 0) {
      return [{ claim: 'the site answers', problem }]
    }
    results.push({ claim, problem })
  }
  return results
}

/** Returns a check that the version answers. The platform ignores a header that names none of the deployed ones. */
function versionCheck({ id }: Version): typeof CHECKS {
  return {
    [`version ${id} answers`]: async ({ client }) => {
      const { version } = await client.get<{ version: string }>('/api/health')
      return version === id
        ? null
        : `Version ${version} answered. Deploy ${id} with 0% or more, wait a few seconds, and try again.`
    },
  }
}

function readTable(client: Client): Promise<Table> {
  return client.get<Table>('/api/crash', { action: 'watch' })
}

function readGames(client: Client): Promise<{ terms: { hash: string } }> {
  return client.get('/api/entropy')
}
