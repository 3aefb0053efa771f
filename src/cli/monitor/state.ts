import { readFile, rename, writeFile } from 'node:fs/promises'
import type { FollowerState } from '../../transparency/follower.ts'
import type { LoggedRound } from '../../verify/logged-round.ts'
import type { ReadingState } from '../../verify/logged.ts'
import { CommandError } from '../shared/terminal.ts'

/** A round that has ended and was not seen disclosed. */
export interface UndisclosedRound {
  round: LoggedRound
  /** Since when the site has been asked for it in vain, in unix milliseconds; null if it has not been asked. */
  missedSince: number | null
  /** The number of looks in which that was so. */
  misses: number
}

/** A monitor's memory of a log, as JSON. */
export interface MonitorState {
  version: 6
  /** The log's verifier key. */
  key: string
  follower: FollowerState
  reading: ReadingState
  /** The newest time of the log's entries, in unix milliseconds; 0 before the first. */
  newestAt: number
  /** The ended rounds whose disclosures are not checked yet. */
  undisclosed: UndisclosedRound[]
  /** When the latest checkpoint, or an older one, was last asked for, in unix milliseconds; null before the first. */
  askedAt: number | null
  /** Since when it has been answered without a break; null if it has not. */
  answeredSince: number | null
}

/** Reads a state file. Returns null if it doesn't exist. @throws CommandError if it isn't a monitor's state */
export async function readState(file: string): Promise<MonitorState | null> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return null
    throw new CommandError(`${file} can't be read: ${fault.message}`)
  })
  if (text === null) return null
  const state = parsed(text)
  if (state?.version === 6) return state
  throw new CommandError(`${file} is not a state of this monitor. Name another file.`)
}

function parsed(text: string): (Partial<MonitorState> & MonitorState) | null {
  try {
    return JSON.parse(text) as MonitorState
  } catch {
    return null
  }
}

/** Replaces a state file, all at once. */
export async function writeState(file: string, state: MonitorState): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(state)}\n`)
  await rename(`${file}.new`, file)
}
