import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** PostgreSQL refuses to run as root, so root runs it as the user `nobody`. */
const NOBODY = 65_534
const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const STARTING_MS = 20_000

/** Whether PostgreSQL is on the PATH. */
export function hasPostgres(): boolean {
  return ['initdb', 'postgres'].every((name) => spawnSync(name, ['--version']).status === 0)
}

/**
 * Makes a PostgreSQL cluster and starts it. It listens on a socket only. Returns a function that stops it.
 * @param folder an empty folder for its data
 * @param sockets an empty folder for its socket, whose path is short
 * @param isDurable whether a commit waits until it is on the disk
 */
export async function startCluster(
  folder: string,
  sockets: string,
  isDurable: boolean,
): Promise<() => Promise<void>> {
  if (USER.uid) for (const path of [folder, sockets]) chownSync(path, USER.uid, USER.gid)
  const data = join(folder, 'data')
  const made = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync('initdb', made, { ...USER, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const settings = [
    `unix_socket_directories=${sockets}`,
    'listen_addresses=',
    `synchronous_commit=${isDurable ? 'on' : 'off'}`,
  ]
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn('postgres', args, { ...USER, cwd: folder, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const kill = () => server.kill('SIGQUIT')
  process.prependOnceListener('exit', kill)
  await ready(sockets)
  return async () => {
    server.kill('SIGINT')
    await ended
    process.off('exit', kill)
  }
}

async function ready(host: string): Promise<void> {
  const sql = postgres({ host, user: 'bench', database: 'postgres', max: 1 })
  const startedAt = Date.now()
  for (;;) {
    try {
      await sql`SELECT 1`
      return await sql.end()
    } catch (fault) {
      if (Date.now() - startedAt > STARTING_MS) throw fault
      await sleep(100)
    }
  }
}
