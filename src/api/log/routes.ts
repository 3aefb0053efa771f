import { Hono } from 'hono'
import { retried } from '../../calls/call.ts'
import { transparencyLog } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { invariant } from '../../core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'
import { writeVerifierKey } from '../../transparency/note.ts'
import {
  logPath,
  parseLogPath,
  parseTilePath,
  TILE_WIDTH,
  type Tile,
} from '../../transparency/tiles.ts'
import { answerText, IMMUTABLE } from '../http/answer.ts'
import { get, limited, type ApiCall } from '../http/call.ts'
import { answeredOnce } from '../http/edge-cache.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'

/**
 * The public log, as in https://c2sp.org/tlog-tiles. Any page may read it. A log that succeeds another one has its
 * generation in its paths. The checkpoint and the key without one are those of the current log.
 */
export const logRoutes = new Hono<{ Bindings: Env }>()
  .get('/checkpoint', get(limited('READS', configured(checkpoint))))
  .get('/key', get(limited('READS', configured(readKey))))
  // One path for all generations: Hono's fastest router doesn't support a parameter next to fixed segments.
  .get('/*', get(limited('READS', configured(readFile))))
  .all('/checkpoint', onlyMethods('GET'))
  .all('/key', onlyMethods('GET'))
  .all('/*', onlyMethods('GET'))

const OPEN_TO_ALL = { 'access-control-allow-origin': '*' }

/** How long a checkpoint may be shown. */
const CHECKPOINT_MS = 1_000
const LAST_SECOND = 'public, max-age=1'

let kept: { askedAt: number; text: string } | null = null

type TileBytes = ReadableStream<Uint8Array> | Uint8Array

function configured(handler: (call: ApiCall<unknown>) => Promise<Response | Refusal>) {
  return async (call: ApiCall<unknown>): Promise<object> => {
    if (loadConfig(call.env).log) return handler(call)
    return refuse('not_configured', 'This site keeps no public log.')
  }
}

/** Answers with a file of the log that a path may name by its generation. Only the current log has a checkpoint. */
async function readFile(call: ApiCall<unknown>): Promise<Response | Refusal> {
  const { generation, path } = parseLogPath(new URL(call.request.url).pathname)
  if (path !== 'checkpoint') return readTile(call)
  if (generation === presentGeneration(call.env)) return checkpoint(call)
  return refuse('not_found', 'This is not the log that the site keeps now. Read /log/key.')
}

/** Answers with the signed checkpoint, which the isolate keeps for a second. */
async function checkpoint({ env }: ApiCall<unknown>): Promise<Response> {
  const askedAt = Date.now()
  const isFresh = kept && askedAt >= kept.askedAt && askedAt - kept.askedAt < CHECKPOINT_MS
  if (!isFresh)
    kept = { askedAt, text: await retried(async () => transparencyLog(env).checkpoint()) }
  return plainText(kept?.text ?? '')
}

/** Answers with the key that verifies checkpoints. Only a key that was kept from before proves anything. */
async function readKey({ env }: ApiCall<unknown>): Promise<Response | Refusal> {
  return plainText(`${verifierOf(env)}\n`)
}

/** Returns the log's verifier key. */
function verifierOf(env: Env): string {
  const { log } = loadConfig(env)
  invariant(log, 'a log that is read is configured')
  return writeVerifierKey(log.key.verifier)
}

function plainText(text: string): Response {
  return answerText(text, 200, {
    ...OPEN_TO_ALL,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': LAST_SECOND,
  })
}

async function readTile(call: ApiCall<unknown>): Promise<Response | Refusal> {
  const { env, request } = call
  const { generation, path } = parseLogPath(new URL(request.url).pathname)
  const tile = parseTilePath(path)
  if (!tile) return NO_TILE
  const read = async () => {
    const bytes = await bytesOf(call, generation, tile, path)
    if (bytes === null) return NO_TILE
    return isRefusal(bytes) ? bytes : answerTile(bytes)
  }
  // Partial tiles are of one size of the log, which is soon past: nobody would ask for them again.
  if (tile.width < TILE_WIDTH) return read()
  // A log with another key is another log.
  return answeredOnce(call, verifierOf(env), read)
}

function answerTile(body: TileBytes): Response {
  return answerText(body, 200, {
    ...OPEN_TO_ALL,
    'content-type': 'application/octet-stream',
    // A tile never changes.
    'cache-control': IMMUTABLE,
  })
}

const NO_TILE = refuse('not_found', 'The log has no such tile. Read the checkpoint for its size.')

function presentGeneration(env: Env): number | null {
  return loadConfig(env).log?.generation ?? null
}

/**
 * Reads a full tile from the archive; a partial one, or one not copied yet, from the current log's object, within the
 * limit of the client's network.
 */
async function bytesOf(
  { env, request }: ApiCall<unknown>,
  generation: number,
  tile: Tile,
  path: string,
): Promise<TileBytes | Refusal | null> {
  const isFull = tile.width === TILE_WIDTH
  const file = isFull ? await inArchive(env, logPath(generation, path)) : null
  if (file || generation !== presentGeneration(env)) return file
  const tooMany = await limitNetwork(env, request, 'log')
  return tooMany ?? retried(async () => transparencyLog(env).tile(tile))
}

async function inArchive(env: Env, name: string): Promise<TileBytes | null> {
  try {
    return (await env.EXPORTS.get(name))?.body ?? null
  } catch (fault) {
    logFault('log_archive_unavailable', fault)
    return null
  }
}
