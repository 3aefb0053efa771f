// npm run compare: makes every documented call to the service of one checkout, records the answers, and
// compares the answers of another checkout with them, byte for byte. Only dates, random values and messages
// for people may differ: mask.ts replaces them, and unstable.ts lists the outcomes that depend on chance.
//
// A recording keeps raw answers; masking happens when two recordings are compared. The stories depend only on
// a checkout's `npm run dev`, its `.dev/manifest.json` and HTTP, so they run against old commits too. Days are
// compared relative to the day of the recording, so a recording must not cross midnight (UTC).
import { readFile, stat, writeFile } from 'node:fs/promises'
import { gather, type Cast } from './actors.ts'
import { coverage } from './coverage.ts'
import { differences } from './differences.ts'
import { Recorder, type Recording } from './recording.ts'
import { withService, type Manifest } from './service.ts'
import { ads } from './stories/ads.ts'
import { boxes } from './stories/boxes.ts'
import { bridge } from './stories/bridge.ts'
import { crash } from './stories/crash.ts'
import { edges, localPlay, reference } from './stories/edges.ts'
import { entropy } from './stories/entropy.ts'
import { lootbox } from './stories/lootbox.ts'
import { operator } from './stories/operator.ts'
import { permissions } from './stories/permissions.ts'
import { rpc } from './stories/rpc.ts'
import { signIn } from './stories/sign-in.ts'
import { vault } from './stories/vault.ts'

const USAGE = `Usage: npm run compare -- record CHECKOUT FILE     record the answers of a checkout's service
       npm run compare -- compare CHECKOUT FILE    compare a checkout's service with a recording
       npm run compare -- compare NEW OLD          compare two recordings

A checkout is a folder with any commit of this project and its node_modules. Its service and chain are
started with its own "npm run dev" and stopped afterwards. A recording takes two minutes or more.`

const STORIES: Record<string, (cast: Cast) => Promise<void>> = {
  reference,
  edges,
  'local play': localPlay,
  'sign-in': signIn,
  crash,
  entropy,
  vault,
  lootbox,
  boxes,
  ads,
  bridge,
  permissions,
  rpc,
  operator,
}

async function main([command, source = '', file = '']: string[]): Promise<number> {
  if ((command !== 'record' && command !== 'compare') || file === '') {
    console.error(USAGE)
    return 2
  }
  const recording = await recordingOf(source)
  const found = command === 'compare' ? differences(await readRecording(file), recording) : []
  if (command === 'record') await writeFile(file, `${JSON.stringify(recording, null, 1)}\n`)
  const { missing, report } = coverage(recording)
  const faults = [...recording.faults, ...missing.map((call) => `Never called: ${call}.`)]
  const count = `${recording.exchanges.length} exchanges`
  const sum = command === 'compare' ? `${count}, differences: ${found.length}.` : `${count}.`
  console.log([...found, ...faults, report, sum].join('\n'))
  return faults.length === 0 && found.length === 0 ? 0 : 1
}

/** Records a checkout, or reads a recording. */
async function recordingOf(source: string): Promise<Recording> {
  if ((await stat(source)).isFile()) return readRecording(source)
  return withService(source, record)
}

async function readRecording(file: string): Promise<Recording> {
  return JSON.parse(await readFile(file, 'utf8')) as Recording
}

/** Tells every story. If one fails, the others are told all the same. */
async function record(manifest: Manifest): Promise<Recording> {
  const startedAt = Date.now()
  const recorder = new Recorder(manifest.baseUrl)
  const cast = await gather(manifest, recorder)
  const faults: string[] = []
  for (const [name, tell] of Object.entries(STORIES)) {
    console.error(`${name} …`)
    recorder.begin(name)
    try {
      await tell(cast)
    } catch (fault) {
      faults.push(`The story "${name}" failed: ${String(fault)}`)
    }
  }
  return { startedAt, names: namesOf(manifest), exchanges: recorder.exchanges, faults }
}

/** Names the contracts and hosts. */
function namesOf({
  baseUrl,
  posts,
  contracts,
  lootbox: { pool },
}: Manifest): Record<string, string> {
  return {
    [new URL(baseUrl).host]: 'host',
    [new URL(posts).host]: 'posts',
    ...Object.fromEntries(Object.entries(contracts).map(([name, address]) => [address, name])),
    [pool]: 'pool',
  }
}

process.exitCode = await main(process.argv.slice(2))
