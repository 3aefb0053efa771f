import { LogReader } from '../../../../src/cli/monitor/log-reader.ts'
import { Caught, Monitor } from '../../../../src/cli/monitor/monitor.ts'
import type { MonitorState } from '../../../../src/cli/monitor/state.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import type { VerifierKey } from '../../../../src/transparency/note.ts'
import { SITE, type House } from './house.ts'

interface Watching {
  state?: MonitorState | null
  witnesses?: VerifierKey[]
  origin?: string
}

export function monitorOf(
  house: House,
  { state = null, witnesses = [], origin = SITE }: Watching = {},
): Monitor {
  const { verifier: key } = house.key
  const site = { reader: new LogReader(new URL(origin)), client: new Client(origin) }
  return new Monitor(site, { key, witnesses }, state)
}

/** What a look finds: the claim that the house has broken, or else what the monitor reports. */
export async function foundBy(watching: Monitor): Promise<string | string[]> {
  try {
    return (await watching.look()).notices
  } catch (fault) {
    if (fault instanceof Caught) return fault.breach.claim
    throw fault
  }
}

/** The claim that a look catches the house at; null if it catches nothing. */
export async function claimOf(watching: Monitor): Promise<string | null> {
  const found = await foundBy(watching)
  return typeof found === 'string' ? found : null
}

/** What a monitor remembers when it is started again. */
export const kept = (watching: Monitor) =>
  JSON.parse(JSON.stringify(watching.state())) as MonitorState
