import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const STOP_WITHIN_MS = 5_000

export interface ProcessOptions {
  projectDir: string
  onOutput: (text: string) => void
  env?: Record<string, string>
}

/** A child process with everything it starts: stopping it stops all of them. */
export class ProcessGroup {
  /** Settles when the process has ended, with its exit code; null if it was made to end. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #hasEnded = false

  constructor(command: string[], { projectDir, onOutput, env }: ProcessOptions) {
    const [program = '', ...args] = command
    this.#child = spawn(program, args, {
      cwd: projectDir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, which signals can be sent to.
      detached: true,
    })
    this.#child.stdout?.setEncoding('utf8').on('data', onOutput)
    this.#child.stderr?.setEncoding('utf8').on('data', onOutput)
    this.ended = new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#hasEnded = true
        resolve(code)
      }
      this.#child
        .once('error', (fault) => (onOutput(`${fault.message}\n`), end(null)))
        .once('exit', end)
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Asks the process and all it started to end, and makes them if they do not. */
  async stop(): Promise<void> {
    this.#signal('SIGTERM')
    await Promise.race([this.ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    this.#signal('SIGKILL')
    await this.ended
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
