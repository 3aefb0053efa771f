import { getAddress } from 'viem'
import { retried } from '../../src/calls/call.ts'
import { ledger } from '../../src/calls/objects.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { done, notDone, type ActResult } from '../../src/operator/act.ts'
import type { FreezeAct } from '../ledger/gate.ts'

/** The operators' acts on one wallet, which its ledger carries out. All are safe to repeat. */

type Act = Pick<FreezeAct, 'id' | 'at'>

export async function freeze(env: Env, target: string, act: Act): Promise<ActResult> {
  const outcome = await setFrozen(env, target, { ...act, isFrozen: true })
  return outcome === 'overtaken'
    ? overtaken()
    : done('The wallet is frozen: it takes no stakes, debits or withdrawals.')
}

export async function unfreeze(env: Env, target: string, act: Act): Promise<ActResult> {
  const outcome = await setFrozen(env, target, { ...act, isFrozen: false })
  if (outcome === 'overtaken') return overtaken()
  return outcome === 'done'
    ? done('The wallet is no longer frozen.')
    : notDone('No operator has frozen this wallet. To write off lost deposits, order write-off.')
}

/** Freezes or unfreezes a wallet, unless a newer act has decided it. */
export function setFrozen(env: Env, target: string, act: FreezeAct) {
  return retried(async () => ledger(env, getAddress(target)).setFrozen(act))
}

/** An act that has written off deposits. */
export interface PastWriteOff {
  id: string
  /** When it was decided, in unix milliseconds. */
  at: number
  /** The transactions that it wrote off, as noted by the ledger; absent if the note was too long. */
  writtenOff?: string
}

/**
 * The stored result of a write-off. It lists the transactions, because a ledger that goes back to before it forgets
 * them.
 */
export interface WriteOffResult extends ActResult {
  writtenOff?: string | null
}

/** @param target a wallet, or the house. @param id of the act */
export async function writeOff(env: Env, target: string, id: string): Promise<WriteOffResult> {
  const account = target === HOUSE ? HOUSE : getAddress(target)
  const count = await retried(async () => ledger(env, account).writeOff(id))
  if (count === 0) return notDone('No deposit of this wallet is missing from the chain.')
  const writtenOff = await retried(async () => ledger(env, account).writtenOff(id))
  return { ...done(`Deposits written off: ${count}. Withdrawals continue.`), writtenOff }
}

/** Ends a withdrawal. @param target a wallet and a nonce */
export async function resolveWithdrawal(
  env: Env,
  target: string,
  { vaultId, outcome, id }: { vaultId: string; outcome: 'confirmed' | 'failed'; id: string },
): Promise<ActResult> {
  const [wallet = '', nonce] = target.split(':')
  const refusal = await retried(async () =>
    ledger(env, getAddress(wallet)).resolveWithdrawal(vaultId, Number(nonce), outcome, id),
  )
  if (refusal) return notDone(refusal.error.message)
  return done(`The withdrawal is ${outcome === 'failed' ? 'released' : 'confirmed'}.`)
}

function overtaken(): ActResult {
  return notDone('A newer act has already frozen or unfrozen this wallet.')
}
