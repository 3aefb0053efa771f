import type { z } from 'zod'
import { loadConfig } from '../../config/load.ts'
import { isRefusal } from '../../core/refusal.ts'
import { newestTables } from '../../games/games.ts'
import type { OpenRequest } from '../../games/mines/open.ts'
import { disposed, ledger, retried } from '../../objects.ts'
import type { SignedCall } from '../auth/signed.ts'
import { validate } from '../http/schema.ts'
import { receipted } from '../receipts/sign.ts'
import { currentTerms } from '../receipts/terms.ts'
import { publish } from './feed.ts'
import { answerPlay } from './played.ts'
import { currentRules } from './rules.ts'
import { OpenBody, type CashOutBody, type PickBody } from './schema.ts'

/** Opens a game of mines, to be picked tile by tile. */
export async function openMines({ env, wallet, input }: SignedCall): Promise<object> {
  const read = validate(OpenBody, input)
  if (isRefusal(read)) return read
  const { token, amountWei, params, clientSeed, nonce = null } = read.value
  const config = loadConfig(env)
  const { edgeBps, limits } = (await currentRules(env)).rules
  const { min, max, maxPayout } = limits[token]
  const request: OpenRequest = {
    ...{ token, amountWei, mines: params.mines, clientSeed: clientSeed ?? wallet.toLowerCase() },
    ...{ nonce, edgeBps, tables: newestTables() },
    ...{ min: BigInt(min), max: BigInt(max), maxPayout: BigInt(maxPayout) },
    terms: currentTerms(config).hash,
    minPlayMs: config.minPlayMs,
  }
  const call = async () => ledger(env, wallet).openMines(request)
  const opened = request.nonce === null ? disposed(await call()) : await retried(call)
  if (isRefusal(opened)) return opened
  const { hit: _hit, play: _play, ...answer } = opened
  return receipted(env, wallet, answer, { kind: 'mines-open', game: opened.game })
}

/** Picks a tile. */
export async function pickMines(call: SignedCall<z.infer<typeof PickBody>>): Promise<object> {
  const { env, wallet, waitUntil, input } = call
  const { nonce, tile } = input
  const picked = await retried(async () => ledger(env, wallet).pickMines(nonce, tile))
  if (isRefusal(picked)) return picked
  if (picked.play) publish(env, { waitUntil }, { wallet, ...picked.play })
  return receipted(env, wallet, picked, { kind: 'mines-pick', game: picked.game })
}

/** Cashes out the open game. */
export async function cashOutMines(call: SignedCall<z.infer<typeof CashOutBody>>): Promise<object> {
  const { env, wallet, input } = call
  const ended = await retried(async () => ledger(env, wallet).cashOutMines(input.nonce))
  return isRefusal(ended) ? ended : answerPlay(call, ended)
}
