import { createServer } from 'node:net'

/** Below every system's ports for outgoing connections, so that no connection takes one meanwhile. */
const FIRST_PORT = 10_000
const PORT_COUNT = 20_000

/** How far apart two processes with neighbouring ids begin: more ports than one of them asks for. */
const PORTS_PER_PROCESS = 32

let asked = 0

/**
 * A port of this machine that nobody listens on. A server takes seconds to start on it, so two
 * processes that ask at once get different ones.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORT_COUNT; tried++) {
    const port = FIRST_PORT + ((process.pid * PORTS_PER_PROCESS + asked++) % PORT_COUNT)
    if (await isFree(port)) return port
  }
  throw new Error('No port is free.')
}

/** Whether nobody listens on a port, on either address that `localhost` may stand for. */
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
