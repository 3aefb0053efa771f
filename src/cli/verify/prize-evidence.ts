import type { OpeningAnswer } from '../../lootbox/opening.ts'
import type { Pending } from '../../payment/answers.ts'
import { readBoxes } from './boxes.ts'
import { ServiceError, type Client } from '../shared/client.ts'
import type { Evidence, Wanted } from './evidence.ts'
import { readOpenings } from './openings.ts'

/** A payment, and who may be answered what it won. */
interface Payment {
  wallet: string
  txHash: string
}

type FoundOpenings = Pick<Evidence, 'openings' | 'waiting'>
type FoundBoxes = Pick<Evidence, 'boxes' | 'waiting'>

/** The openings that are wanted of a service: a payment's, a wallet's newest, or everybody's. */
export async function loadOpenings(
  client: Client,
  { wallet, payment }: Wanted,
): Promise<FoundOpenings> {
  const found: FoundOpenings = { openings: [], waiting: [] }
  const payments =
    wallet !== undefined && payment !== undefined
      ? [{ wallet, txHash: payment }]
      : await unlessNotConfigured(newestPayments(client, wallet), [])
  // One after the other: a service takes few such calls at once.
  for (const paid of payments) {
    if (payment !== undefined && paid.txHash !== payment) continue
    const answer = await client.post<OpeningAnswer | Pending>('/api/lootbox', {
      action: 'open',
      ...paid,
    })
    if ('open' in answer && answer.open.seed === null) {
      found.waiting.push(`opening ${paid.txHash}: its day, ${answer.open.day}, is not over`)
    } else found.openings.push(...readOpenings(answer, client.baseUrl.href))
  }
  return found
}

/** The box that is wanted of a service, or all that a wallet has; nobody's where neither is told. */
export async function loadBoxes(client: Client, { wallet, boxId }: Wanted): Promise<FoundBoxes> {
  if (boxId !== undefined) return readPage(client, { boxId: boxId.toString() })
  const none: FoundBoxes = { boxes: [], waiting: [] }
  return wallet === undefined ? none : unlessNotConfigured(readBoxesFrom(client, wallet, 0), none)
}

async function readBoxesFrom(client: Client, wallet: string, from: number): Promise<FoundBoxes> {
  const page = await readPage(client, { wallet, from: String(from) })
  if (page.next === null) return page
  const rest = await readBoxesFrom(client, wallet, page.next)
  return {
    boxes: [...page.boxes, ...rest.boxes],
    waiting: [...page.waiting, ...rest.waiting],
  }
}

/** Share-to-spin openings have no payment to ask with. */
async function newestPayments(client: Client, wallet?: string): Promise<Payment[]> {
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

/** A service without a lootbox or boxes has nothing of theirs to check. */
async function unlessNotConfigured<T>(work: Promise<T>, nothing: T): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (fault instanceof ServiceError && fault.code === 'not_configured') return nothing
    throw fault
  }
}
