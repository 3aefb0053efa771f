import { perToken, TOKENS, type Token } from '../../src/money/token.ts'
import { totalOf, type Books } from '../live/audit.ts'
import type { FuzzRequest } from './calls.ts'
import { routeOf } from './check.ts'
import type { FuzzAnswer } from './client.ts'

/** What came from the faucet and from partners, as the answers say. */
export class Tally {
  readonly #faucet = perToken(() => 0n)
  readonly #partners = perToken(() => 0n)
  readonly #seen = new Set<string>()

  note({ method, path, headers, body }: FuzzRequest, { status, text }: FuzzAnswer): void {
    if (method !== 'POST' || status !== 200) return
    const route = routeOf(path)
    // A byte order mark is no part of the text. The service's own parser could exceed the stack here, which is smaller.
    const sent = () =>
      JSON.parse(body?.toString().replace(/^\ufeff/, '') ?? '') as Record<string, unknown>
    if (route === '/api/dev/faucet') this.#noteFaucet(sent())
    if (route === '/api/wallet/transaction' || route === '/api/wallet/rollback') {
      this.#notePartner(partnerOf(headers), sent(), JSON.parse(text) as Record<string, string>)
    }
  }

  #noteFaucet({ wallet, token, amountWei, id }: Record<string, unknown>): void {
    if (typeof id === 'string' && this.#isKnown(`${String(wallet).toLowerCase()} ${id}`)) return
    this.#faucet[token as Token] += BigInt(String(amountWei))
  }

  #notePartner(
    partner: string,
    { currency }: Record<string, unknown>,
    { partnerTransactionId, balanceWei, balanceBeforeWei }: Record<string, string>,
  ): void {
    if (this.#isKnown(`${partner} ${partnerTransactionId}`)) return
    this.#partners[currency as Token] += BigInt(balanceWei ?? 0) - BigInt(balanceBeforeWei ?? 0)
  }

  #isKnown(key: string): boolean {
    if (this.#seen.has(key)) return true
    this.#seen.add(key)
    return false
  }

  /** Compares the sums with the books, which call them the faucet's and the partners' accounts. */
  problemsWith(books: Books): string[] {
    return TOKENS.flatMap((token) =>
      [
        ['faucet', this.#faucet[token]] as const,
        ['partner', this.#partners[token]] as const,
      ].flatMap(([account, told]) => {
        const kept = -totalOf(books, token, account)
        const name = `${account} ${token}`
        return kept === told ? [] : [`${name}: the books have ${kept}, the answers said ${told}`]
      }),
    )
  }
}

/** Returns who signed a request's token: each partner has ids of its own. */
function partnerOf(headers: FuzzRequest['headers']): string {
  const token = headers.find(([name]) => name === 'authorization')?.[1] ?? ''
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  return (JSON.parse(claims) as { iss: string }).iss
}
