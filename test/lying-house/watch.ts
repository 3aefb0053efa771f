import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogReader } from '../../src/cli/monitor/log-reader.ts'
import { Caught, Monitor } from '../../src/cli/monitor/monitor.ts'
import { writeProof } from '../../src/cli/monitor/proof.ts'
import type { MonitorState } from '../../src/cli/monitor/state.ts'
import { Client } from '../../src/cli/shared/client.ts'
import {
  parseVerifierKey,
  writeVerifierKey,
  type VerifierKey,
} from '../../src/transparency/note.ts'
import { SITE } from './house.ts'

/** What `npm run monitor` writes into its file of proof. */
export interface MonitorProof {
  claim: string
  finding: string
  key: string
  checkpoint: string | null
  evidence: Record<string, unknown>
  inclusion: { index: number; size: number; proof: string[] }[]
}

/** `npm run monitor`, which looks whenever it is told to, until the house is caught. */
export class Watch {
  caught: MonitorProof | null = null
  /** The rounds that it has checked whole. */
  rounds = 0
  /** What it has reported without accusing anybody. */
  readonly notices: string[] = []
  readonly #reader = new LogReader(new URL(SITE))
  #monitor: Monitor | null = null
  #state: MonitorState | null

  /** @param state continues what another monitor has seen */
  constructor(state: MonitorState | null = null) {
    this.#state = state
  }

  async look(): Promise<void> {
    if (this.caught) return
    const key = parseVerifierKey((await this.#reader.text('key')).trim())
    if (!key) throw new Error('the site shows no key')
    const monitor = (this.#monitor ??= this.#begin(key))
    try {
      const { rounds, notices } = await monitor.look()
      this.rounds += rounds
      this.notices.push(...notices)
    } catch (fault) {
      if (!(fault instanceof Caught)) throw fault
      this.caught = await this.#proofOf(fault, monitor, key)
    }
  }

  /** Returns what the monitor keeps between two runs. */
  state(): MonitorState {
    if (!this.#monitor) throw new Error('the monitor has not looked yet')
    return this.#monitor.state()
  }

  #begin(key: VerifierKey): Monitor {
    const client = new Client(SITE)
    return new Monitor({ reader: this.#reader, client }, { key, witnesses: [] }, this.#state)
  }

  /** Writes the file of proof, and reads it as others would. */
  async #proofOf({ breach }: Caught, monitor: Monitor, key: VerifierKey): Promise<MonitorProof> {
    const { checkpoint, size } = monitor
    const folder = await mkdtemp(join(tmpdir(), 'fairhouse-proof-'))
    try {
      const about = { site: SITE, key: writeVerifierKey(key), checkpoint, size }
      const file = await writeProof(breach, about, { reader: this.#reader, folder })
      return JSON.parse(await readFile(file, 'utf8')) as MonitorProof
    } finally {
      await rm(folder, { recursive: true })
    }
  }
}
