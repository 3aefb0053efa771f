import { createServer } from 'node:net'

/** The range of ports, below every system's ports for outgoing connections, which could take one. */
const FIRST_PORT = 10_000
const PORT_COUNT = 20_000

/** The distance between the ranges of two consecutive process ids: more ports than a process needs. */
const PORTS_PER_PROCESS = 32

let asked = 0

/**
 * Returns a free local port. A server takes seconds to start on it, so concurrent processes get
 * different ports.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORT_COUNT; tried++) {
    const port = FIRST_PORT + ((process.pid * PORTS_PER_PROCESS + asked++) % PORT_COUNT)
    if (await isFree(port)) return port
  }
  throw new Error('No local port is free.')
}

/** Returns whether a port is free on both addresses that `localhost` may mean. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of ['localhost', '127.0.0.1']) {
    if (!(await canListen(port, host))) return false
  }
  return true
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, host, () => server.close(() => resolve(true)))
  })
}
