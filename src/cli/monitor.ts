// npm run monitor -- URL: follows the public log of a site, trusting nobody.
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseVerifierKey, writeVerifierKey, type VerifierKey } from '../transparency/note.ts'
import { LogReader } from './monitor/log-reader.ts'
import { Caught, reportLine, Monitor } from './monitor/monitor.ts'
import { readMonitorOptions, type MonitorOptions } from './monitor/options.ts'
import { writeProof } from './monitor/proof.ts'
import { readState, writeState, type MonitorState } from './monitor/state.ts'
import { Client } from './shared/client.ts'
import { CommandError, printCheck, runCommand, say, warn } from './shared/terminal.ts'

const LOOK_EVERY_MS = 2_000

void runCommand(async () => {
  const options = readMonitorOptions()
  const { site, stateFile, witnesses } = options
  const state = stateFile === null ? null : await readState(stateFile)
  const reader = new LogReader(site)
  const key = await chooseKey(options, state, reader)
  const monitor = new Monitor(
    { reader, client: new Client(site.origin) },
    { key, witnesses },
    state,
  )
  try {
    await follow(monitor, options)
    return 0
  } catch (fault) {
    if (!(fault instanceof Caught)) throw fault
    const { checkpoint, size } = monitor
    const folder = stateFile === null ? '.' : dirname(stateFile)
    const about = { site: site.origin, key: writeVerifierKey(key), checkpoint, size }
    const file = await writeProof(fault.breach, about, { reader: reader.of(key), folder })
    warn(`Breach found. This should hold: ${fault.breach.claim}.`, 'red')
    warn(`But ${fault.breach.finding}.`, [])
    warn(`The proof is in ${file}.`, [])
    return 1
  }
})

/** Looks until the process is stopped, or once. An unavailable log is waited for, unless it is looked at once. */
async function follow(monitor: Monitor, { once, stateFile }: MonitorOptions): Promise<void> {
  for (let looks = 0; ; looks++) {
    try {
      const look = await monitor.look()
      if (stateFile !== null) await writeState(stateFile, monitor.state())
      for (const notice of look.notices) warn(notice)
      if (looks === 0 || look.added > 0 || look.rounds > 0)
        printCheck({ claim: reportLine(look), holds: true })
      if (once) return
    } catch (fault) {
      if (once || !(fault instanceof CommandError)) throw fault
      warn(fault.message)
    }
    await sleep(LOOK_EVERY_MS)
  }
}

/** @throws CommandError if the state is another log's */
async function chooseKey(
  { key, stateFile }: MonitorOptions,
  state: MonitorState | null,
  reader: LogReader,
): Promise<VerifierKey> {
  if (key && state && writeVerifierKey(key) !== state.key) {
    throw new CommandError(`${stateFile} is of a log with another key. Name another file.`)
  }
  const kept = key ?? (state && parseVerifierKey(state.key))
  if (kept) return kept
  const text = (await reader.text('key')).trim()
  const shown = parseVerifierKey(text)
  if (!shown) throw new CommandError("The site shows no valid key. Give the log's key with --key.")
  say('First contact. The site shows this key; compare it with others:')
  say(`  ${text}`)
  return shown
}
