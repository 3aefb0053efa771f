import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { order, setModes } from '../workers/operator.ts'
import { now, pass, type Player } from '../workers/support.ts'

/** Closes a wallet, restores its ledger, and opens it. */
export async function restore({ wallet }: Player, time?: number): Promise<void> {
  await setModes(`wallet:${wallet}=closed`)
  pass(LAST_KNOWN_MS)
  const at = time === undefined ? '' : `@${isoTime(time).replace(/\.\d+Z$/, 'Z')}`
  const { body } = await order('restore', wallet + at)
  expect(body.act.result).toMatchObject({ isDone: true })
  await setModes(`wallet:${wallet}=open`)
}

/** Returns the chips of a player in USDG, and what the house has in that ledger. */
export async function chipsAndHouse({ wallet }: Player) {
  const { chips, house } = (await ledger(env, wallet).standing(now())).balances.USDG
  return { chips, house }
}
