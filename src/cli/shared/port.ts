import { createServer, type Server } from 'node:net'

/** Below every system's ports for outgoing connections, which could take one. */
const FIRST_PORT = 10_000
const RANGES = 625
/** More ports than a process needs at a time. */
const PORTS_PER_RANGE = 32

let claimed: Promise<number> | null = null
let asked = 0

/**
 * Returns a free local port. A server takes seconds to start on it, so each process has a range of ports of its own,
 * which it claims by listening on the first of them until it ends.
 */
export async function freePort(): Promise<number> {
  claimed ??= claimRange()
  const first = await claimed
  for (let tried = 1; tried < PORTS_PER_RANGE; tried++) {
    const port = first + 1 + (asked++ % (PORTS_PER_RANGE - 1))
    if (await isFree(port)) return port
  }
  throw new Error('No local port is free.')
}

/** Returns the first port of a range that no other process has. */
async function claimRange(): Promise<number> {
  for (let tried = 0; tried < RANGES; tried++) {
    const first = FIRST_PORT + ((process.pid + tried) % RANGES) * PORTS_PER_RANGE
    const claim = await listen(first, '127.0.0.1')
    if (!claim) continue
    claim.unref()
    return first
  }
  throw new Error('No local ports are free.')
}

/** Returns whether a port is free on both addresses that `localhost` may mean. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of ['localhost', '127.0.0.1']) {
    const server = await listen(port, host)
    if (!server) return false
    await new Promise((resolve) => server.close(resolve))
  }
  return true
}

/** Listens on a port. Resolves to null if it is taken. */
function listen(port: number, host: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(null))
      .listen(port, host, () => resolve(server))
  })
}
