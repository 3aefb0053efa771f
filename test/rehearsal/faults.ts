import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { askRelay } from '../lying-house/beacon.ts'

/** A server on this machine that can fail. */
export interface Outside {
  url: string
  /** The requests that fail. */
  fails: (request: string) => boolean
  close(): void
}

/** A node in front of the chain. Its requests are the bodies of calls. */
export function serveNode(rpcUrl: string): Promise<Outside> {
  return serve(async (_url, body) => {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return answer.text()
  })
}

/** A drand relay, whose beacons are ours. Its requests are paths. */
export function serveRelay(): Promise<Outside> {
  return serve(async (url) => {
    const answer = askRelay(new URL(url, 'http://relay'), Date.now())
    return answer.ok ? answer.text() : null
  })
}

async function serve(
  answer: (url: string, body: string) => Promise<string | null>,
): Promise<Outside> {
  const outside: Outside = { url: '', fails: () => false, close: () => server.close() }
  const server: Server = createServer((request, response) => {
    const respond = async () => {
      const body = await text(request)
      const { url = '' } = request
      const answered = outside.fails(body || url) ? null : await answer(url, body)
      response.writeHead(answered === null ? 503 : 200, { 'content-type': 'application/json' })
      response.end(answered ?? '{}')
    }
    respond().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  outside.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return outside
}
