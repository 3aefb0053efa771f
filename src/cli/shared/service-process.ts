import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProcessGroup, type ProcessOptions } from './process-group.ts'
import { CommandError } from './terminal.ts'

/** The time limit for a start, which includes migrating the database and building the Worker. */
const READY_WITHIN_MS = 120_000
const ASK_AGAIN_MS = 200

/** Keeps wrangler offline, without an account or questions. */
const OFFLINE = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/**
 * Returns the command line of a `wrangler dev` that only logs errors.
 * @param stateDir the folder for its state, if not the default; the migration in wrangler.toml needs it
 *   too, through {@link stateEnv}
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
    '--port',
    String(port),
    // The debugger's default port may be another service's.
    '--inspector-port',
    '0',
    '--log-level',
    'error',
    ...(stateDir === undefined ? [] : ['--persist-to', stateDir]),
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  ]
}

/** Returns the environment that makes wrangler.toml's build command migrate the database in a folder. */
export function stateEnv(stateDir: string): Record<string, string> {
  return { FAIRHOUSE_STATE: stateDir }
}

/** A process that serves on a local port, and its descendants. */
export class ServiceProcess extends ProcessGroup {
  readonly baseUrl: string

  constructor(command: string[], { port, ...options }: ProcessOptions & { port: number }) {
    super(command, { ...options, env: { ...OFFLINE, ...options.env } })
    this.baseUrl = `http://localhost:${port}`
  }

  /** Waits until the service answers, with any answer. */
  async ready(): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS
    while (!(await this.#answers())) {
      if (this.hasEnded)
        throw new CommandError('The service ended before it answered. See its output above.')
      if (Date.now() > until)
        throw new CommandError('The service did not answer in time. See its output above.')
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
