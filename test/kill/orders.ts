import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'

export type Kind = 'bet' | 'cashout' | 'play' | 'transaction' | 'rollback' | 'withdraw' | 'faucet'

/** A call that is safe to repeat: it names its round, its nonce or its id. */
export interface Order {
  kind: Kind
  wallet: string
  path: string
  body: Record<string, unknown>
}

export interface OrderAnswer {
  status: number
  text: string
  body: Record<string, unknown>
}

const ANSWER_WITHIN_MS = 20_000

/** Sends an order. Returns null if its answer was lost. */
export async function send(baseUrl: string, order: Order): Promise<OrderAnswer | null> {
  const text = JSON.stringify(order.body)
  const isPartners = order.path.startsWith('/api/wallet/')
  const headers = {
    'content-type': 'application/json',
    ...(isPartners && { authorization: `Bearer ${sign(soundToken(DEV_PARTNER, text))}` }),
  }
  try {
    const response = await fetch(new URL(order.path, baseUrl), {
      method: 'POST',
      headers,
      body: text,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const answer = await response.text()
    return {
      status: response.status,
      text: answer,
      body: JSON.parse(answer) as Record<string, unknown>,
    }
  } catch {
    return null
  }
}

/**
 * Returns what a repetition must answer again: a partner's answer byte for byte, a withdrawal's order, and of
 * the others everything but the chips. Null for an answer that may change, such as most refusals.
 */
export function lastingPart({ kind }: Order, { status, text, body }: OrderAnswer): string | null {
  const isPartners = kind === 'transaction' || kind === 'rollback'
  if (isPartners && (status === 402 || status === 200)) return text
  if (status !== 200) return null
  if (kind === 'withdraw') {
    const { nonce, token, amountWei } = body['withdrawal'] as Record<string, unknown>
    return JSON.stringify({ nonce, token, amountWei })
  }
  const { me: _me, receipt: _receipt, ...lasting } = body
  return JSON.stringify(lasting)
}

/** What an order is called in its ledger's journal, as far as the order says. */
export function entryId({ kind, body }: Order): string | null {
  switch (kind) {
    case 'play':
      return `entropy:${String(body['nonce'])}`
    case 'transaction':
    case 'rollback':
      return `bridge:${DEV_PARTNER.id}:${String(body['partnerTransactionId'])}`
    case 'faucet':
      return `faucet:${String(body['id'])}`
    case 'withdraw':
    case 'bet':
    case 'cashout':
      return null
  }
}
