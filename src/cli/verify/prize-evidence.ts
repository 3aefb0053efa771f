import type { Check } from '../../fairness/check.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import type { Pending } from '../../payment/answers.ts'
import { checkWithheld } from '../../verify/opening.ts'
import { verifyPayment } from '../../verify/payment.ts'
import { ServiceError, type Client } from '../shared/client.ts'
import { readBoxes } from './boxes.ts'
import type { Evidence, FromElsewhere } from './evidence.ts'
import type { BoxContract } from './logged-boxes.ts'
import { readOpenings } from './openings.ts'
import type { ReadPayment } from './payments.ts'
import type { VerifyTargets } from './wanted.ts'

type FoundOpenings = Pick<Evidence, 'openings' | 'undisclosed' | 'waiting'>
type FoundBoxes = Pick<Evidence, 'boxes' | 'waiting'> & { contract: BoxContract }

/** Loads the wanted openings from a service: a payment's, a wallet's newest, or the newest of all. */
export async function loadOpenings(
  client: Client,
  { wallet, payment }: VerifyTargets,
  { readPayment = null, paidAt }: FromElsewhere,
): Promise<FoundOpenings> {
  const found: FoundOpenings = { openings: [], undisclosed: [], waiting: [] }
  const payments =
    wallet !== undefined && payment !== undefined
      ? [{ wallet, txHash: payment }]
      : await unlessNotConfigured(newestPayments(client, wallet), [])
  // In sequence, because a service accepts few such calls at a time.
  for (const paid of payments) {
    if (payment !== undefined && paid.txHash !== payment) continue
    const answer = await client.post<OpeningAnswer | Pending>('/api/lootbox', {
      action: 'open',
      ...paid,
    })
    if ('open' in answer && answer.open.seed === null) {
      const { day, blockHash } = answer.open
      const onChain = await checkOnChain({ txHash: paid.txHash, blockHash }, readPayment)
      const checks = [
        ...checkWithheld(day, Date.now(), onChain.paidAt ?? paidAt),
        ...onChain.checks.filter(({ holds }) => !holds),
      ]
      if (checks.length > 0) found.undisclosed.push({ id: paid.txHash, day, checks })
      else found.waiting.push(`opening ${paid.txHash}: its day, ${day}, has not ended`)
    } else found.openings.push(...readOpenings(answer, client.baseUrl.href))
  }
  return found
}

/**
 * Checks the payment of an opening whose seed is not disclosed against the chain, as far as a node shows it.
 * @param blockHash as the house names it
 */
async function checkOnChain(
  { txHash, blockHash }: { txHash: string; blockHash: string | null },
  read: ReadPayment | null,
): Promise<{ checks: Check[]; paidAt?: number }> {
  if (!read || blockHash === null) return { checks: [] }
  const paid = await read({ txHash, blockHash })
  if (typeof paid === 'string') return { checks: [] }
  return { checks: verifyPayment(blockHash, paid), paidAt: paid.mined.paidAt }
}

/** Loads the wanted box or a wallet's boxes from a service; none if neither is given. */
export async function loadBoxes(
  client: Client,
  { wallet, boxId }: VerifyTargets,
): Promise<FoundBoxes> {
  if (boxId !== undefined) return readPage(client, { boxId: boxId.toString() })
  const none: FoundBoxes = { boxes: [], waiting: [], contract: null }
  return wallet === undefined ? none : unlessNotConfigured(readBoxesFrom(client, wallet, 0), none)
}

async function readBoxesFrom(client: Client, wallet: string, from: number): Promise<FoundBoxes> {
  const page = await readPage(client, { wallet, from: String(from) })
  if (page.next === null) return page
  const rest = await readBoxesFrom(client, wallet, page.next)
  return {
    ...page,
    boxes: [...page.boxes, ...rest.boxes],
    waiting: [...page.waiting, ...rest.waiting],
  }
}

/** Loads the newest payments, with their payers. Openings by free spins have none. */
async function newestPayments(client: Client, wallet?: string) {
  const query = wallet === undefined ? {} : { wallet }
  const { recentWins, openings = [] } = await client.get<{
    recentWins: { wallet: string; txHash: string | null }[]
    openings?: { txHash: string | null }[]
  }>('/api/lootbox', query)
  const listed = wallet === undefined ? recentWins : openings.map((own) => ({ wallet, ...own }))
  return listed.flatMap((won) =>
    won.txHash === null ? [] : [{ wallet: won.wallet, txHash: won.txHash }],
  )
}

async function readPage(client: Client, query: Record<string, string>) {
  const source = new URL('/api/lootbox-nft', client.baseUrl).href
  return readBoxes(await client.get<unknown>('/api/lootbox-nft', query), source)
}

/** Returns nothing to check if the service has no lootbox or boxes. */
async function unlessNotConfigured<T>(work: Promise<T>, nothing: T): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (fault instanceof ServiceError && fault.code === 'not_configured') return nothing
    throw fault
  }
}
