import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from './terminal.ts'

/** Starting includes migrating the database and building the Worker. */
const READY_WITHIN_MS = 120_000
const ASK_AGAIN_MS = 200
const STOP_WITHIN_MS = 5_000

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

/** A child process, with everything it starts, that serves on a port of this machine. */
export class ServiceProcess {
  readonly baseUrl: string
  /** Settles when the process has ended, by itself or because it was stopped. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  #hasEnded = false

  constructor(
    command: string[],
    options: {
      projectDir: string
      port: number
      onOutput: (text: string) => void
      env?: Record<string, string>
    },
  ) {
    const { projectDir, port, onOutput, env } = options
    const [program = '', ...args] = command
    this.baseUrl = `http://localhost:${port}`
    this.#child = spawn(program, args, {
      cwd: projectDir,
      env: { ...process.env, ...OFFLINE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that stopping it stops what it started.
      detached: true,
    })
    this.#child.stdout?.setEncoding('utf8').on('data', onOutput)
    this.#child.stderr?.setEncoding('utf8').on('data', onOutput)
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true
        resolve()
      }
      this.#child
        .once('error', (fault) => (onOutput(`${fault.message}\n`), end()))
        .once('exit', end)
    })
  }

  /** Waits until the service answers, whatever it answers. */
  async ready(): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS
    while (!(await this.#answers())) {
      if (this.#hasEnded) throw new CommandError('The service ended before it answered.')
      if (Date.now() > until) throw new CommandError('The service does not answer.')
      await Promise.race([sleep(ASK_AGAIN_MS), this.ended])
    }
  }

  /** Asks the process and all it started to end, and makes them if they do not. */
  async stop(): Promise<void> {
    this.#signal('SIGTERM')
    await Promise.race([this.ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    this.#signal('SIGKILL')
    await this.ended
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

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // Nothing of the group is left.
    }
  }
}
