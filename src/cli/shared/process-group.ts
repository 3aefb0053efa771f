import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const STOP_WITHIN_MS = 5_000

export interface ProcessOptions {
  projectDir: string
  onOutput: (text: string) => void
  env?: Record<string, string>
}

/** A child process and its descendants, which are stopped together. */
export class ProcessGroup {
  /** Resolves with the exit code when the process ends; null if it was killed or failed to start. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #hasEnded = false

  constructor(command: string[], { projectDir, onOutput, env }: ProcessOptions) {
    const [program = '', ...args] = command
    this.#child = spawn(program, args, {
      cwd: projectDir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Gives the process its own group, to send signals to.
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

  /** Asks the processes to end, and kills them if they don't. */
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
      // The group has already ended.
    }
  }
}
