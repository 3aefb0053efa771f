import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProcessGroup, type ProcessOptions } from './process-group.ts'
import { CommandError } from './terminal.ts'

/** Starting includes migrating the database and building the Worker. */
const READY_WITHIN_MS = 120_000
const ASK_AGAIN_MS = 200

/** No account, no internet, no questions: wrangler keeps to this machine. */
const OFFLINE = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/**
 * The command line of a `wrangler dev` that only speaks of errors.
 * @param stateDir where it keeps its state, if not where a plain `wrangler dev` does; the migration in
 *   wrangler.toml has to hear of it too, by {@link stateEnv}
 */
export function wranglerDev(
  projectDir: string,
  port: number,
  vars: Record<string, string>,
  stateDir?: string,
): string[] {
  return [
    process.execPath,
    join(projectDir, 'node_modules/wrangler/bin/wrangler.js'),
    'dev',
    ...['--port', String(port)],
    // The debugger's default port may be another service's.
    ...['--inspector-port', '0'],
    ...['--log-level', 'error'],
    ...(stateDir === undefined ? [] : ['--persist-to', stateDir]),
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  ]
}

/** Has the build command of wrangler.toml migrate the database that is in a folder. */
export function stateEnv(stateDir: string): Record<string, string> {
  return { FAIRHOUSE_STATE: stateDir }
}

/** A process, with everything it starts, that serves on a port of this machine. */
export class ServiceProcess extends ProcessGroup {
  readonly baseUrl: string

  constructor(command: string[], { port, ...options }: ProcessOptions & { port: number }) {
    super(command, { ...options, env: { ...OFFLINE, ...options.env } })
    this.baseUrl = `http://localhost:${port}`
  }

  /** Waits until the service answers, whatever it answers. */
  async ready(): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS
    while (!(await this.#answers())) {
      if (this.hasEnded) throw new CommandError('The service ended before it answered.')
      if (Date.now() > until) throw new CommandError('The service does not answer.')
      await Promise.race([sleep(ASK_AGAIN_MS), this.ended])
    }
  }

  async #answers(): Promise<boolean> {
    try {
      const response = await fetch(this.baseUrl, { signal: AbortSignal.timeout(5_000) })
      await response.body?.cancel()
      return true
    } catch {
      return false
    }
  }
}
