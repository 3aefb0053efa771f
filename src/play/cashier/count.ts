import type { PerToken } from '../../money/token.ts'
import type { SolvencyProof, Statement } from '../../solvency/statement.ts'
import { verifySolvency, type KnownOfSolvency } from '../../verify/solvency.ts'
import { get, isFailure, type Failure } from '../api.ts'
import { keep, kept } from '../keepsakes.ts'
import { receiptedEntries } from '../receipts.ts'

/** The newest count of the house's debts, on this wallet, as checked on this device. */
export type CountCheck =
  /** The wallet's first chips came after the count. */
  | { kind: 'absent' }
  | { kind: 'proven'; at: number; owed: PerToken<string>; blockNumber: number }
  /** The claims that don't hold. */
  | { kind: 'broken'; claims: string[] }

type Answer = Statement & { proof: SolvencyProof | null }

/** Reads the newest count and checks the wallet's own proof. */
export async function readCount(credentials: {
  wallet: string
  authSig: string
}): Promise<CountCheck | Failure> {
  const { wallet } = credentials
  // Another tab may keep it meanwhile, from a later count than this answer is of.
  const salt = kept('salts', wallet)
  const answer = await get<Answer>('/api/solvency', { ...credentials })
  if (isFailure(answer)) return answer
  const { proof, ...statement } = answer
  const known = { receipts: receiptedEntries(wallet), ...salt, askedAt: Date.now() }
  const counted = judgeCount(statement, { wallet, proof }, known)
  if (proof) keep('salts', wallet, { walletSalt: proof.walletSalt })
  return counted
}

/** @param known the evidence in this browser: the wallet's receipts, and its secret as first seen */
export function judgeCount(
  statement: Statement,
  { wallet, proof }: { wallet: string; proof: SolvencyProof | null },
  known: KnownOfSolvency = {},
): CountCheck {
  const claims = verifySolvency(statement, { wallet, proof }, known)
    .filter(({ holds }) => !holds)
    .map(({ claim }) => claim)
  if (claims.length > 0) return { kind: 'broken', claims }
  if (!proof) return { kind: 'absent' }
  const { at, vault } = statement
  return { kind: 'proven', at, owed: proof.leaf.owed, blockNumber: vault.blockNumber }
}
