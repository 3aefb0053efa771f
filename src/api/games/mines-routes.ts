import type { z } from 'zod'
import { disposed, retried } from '../../calls/call.ts'
import { currentModes } from '../../calls/modes.ts'
import { ledger } from '../../calls/objects.ts'
import { isRefusal } from '../../core/refusal.ts'
import type { SignedCall } from '../auth/signed.ts'
import { validate } from '../http/schema.ts'
import { receipted } from '../receipts/sign.ts'
import { publish } from './feed.ts'
import { answerPlay } from './played.ts'
import { stakeRequest } from './rules.ts'
import { OpenBody, type CashOutBody, type PickBody } from './schema.ts'

/** Opens a game of mines, to be picked tile by tile. */
export async function openMines({ env, wallet, input }: SignedCall): Promise<object> {
  const read = validate(OpenBody, input)
  if (isRefusal(read)) return read
  const stake = await stakeRequest(env, wallet, read.value)
  const { params, maxPicks } = read.value
  const request = { ...stake, mines: params.mines, maxPicks: maxPicks ?? null }
  const call = async () => ledger(env, wallet).openMines(request)
  const opened = request.nonce === null ? disposed(await call()) : await retried(call)
  if (isRefusal(opened)) return opened
  return receipted(env, wallet, opened, { kind: 'mines-open', game: opened.game })
}

/** Picks a tile. */
export async function pickMines(call: SignedCall<z.infer<typeof PickBody>>): Promise<object> {
  const { env, wallet, waitUntil, input } = call
  const { nonce, tile } = input
  const modes = await currentModes(env)
  const picked = await retried(async () => ledger(env, wallet).pickMines(nonce, tile, modes))
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
