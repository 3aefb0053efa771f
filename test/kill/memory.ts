import { TOKENS } from '../../src/money/token.ts'
import { heldBets, totalOf, type AuditedLedger, type Books } from '../live/audit.ts'
import { entryId, lastingPart, type Order, type OrderAnswer } from './orders.ts'

interface Known {
  order: Order
  /** Null while the answer is lost. */
  answer: OrderAnswer | null
}

/** Everything that was ever ordered, and what was answered. */
export class Memory {
  readonly #orders = new Map<string, Known>()
  /** What contradicts an earlier answer, or is a fault. */
  readonly problems: string[] = []

  /** Notes an answer, or that it was lost. An answer that an earlier one contradicts is a problem. */
  note(order: Order, answer: OrderAnswer | null): void {
    const key = JSON.stringify(order.body)
    const known = this.#orders.get(key)
    if (answer && answer.status === 500) this.problems.push(`${told(order)}: ${answer.text}`)
    const before = known?.answer ? lastingPart(order, known.answer) : null
    if (before === null) {
      this.#orders.set(key, { order, answer: answer ?? known?.answer ?? null })
      return
    }
    if (!answer) return
    const now = lastingPart(order, answer)
    if (now === before) return
    this.problems.push(
      `${told(order)}: was answered ${before}, now ${answer.status} ${answer.text}`,
    )
  }

  /** The orders whose answers were lost. */
  get lost(): Order[] {
    return this.#all.filter(({ answer }) => answer === null).map(({ order }) => order)
  }

  /** The orders that must be answered as they were, newest last. */
  get acknowledged(): Order[] {
    return this.#lasting.map(({ order }) => order)
  }

  get #all(): Known[] {
    return [...this.#orders.values()]
  }

  get #lasting(): (Known & { answer: OrderAnswer })[] {
    return this.#all.filter(
      (known): known is Known & { answer: OrderAnswer } =>
        known.answer !== null && lastingPart(known.order, known.answer) !== null,
    )
  }

  /** Compares the books with the answers, once no answer is lost. */
  problemsWith(books: Books): string[] {
    const ledgers = new Map([...books.ledgers.values()].map((ledger) => [ledger.name, ledger]))
    return [
      ...[...ledgers.values()].flatMap((ledger) => this.#strangeEntries(ledger)),
      ...this.#lasting.flatMap(({ order, answer }) => {
        const ledger = ledgers.get(order.wallet)
        const problem = ledger ? problemOf(books, ledger, order, answer) : 'its ledger is missing'
        return problem === null ? [] : [`${told(order)}: ${problem}; answered ${answer.text}`]
      }),
      ...this.#sums(books),
    ]
  }

  /** Returns the entries that are there twice, or that nobody has ordered. */
  #strangeEntries({ name, entries }: AuditedLedger): string[] {
    const ids = entries.map(({ operationId }) => operationId)
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    const ordered = new Set(
      this.#all.filter(({ order }) => order.wallet === name).map(({ order }) => entryId(order)),
    )
    const known = ids.filter((id) => /^(entropy|bridge|faucet):/.test(id))
    const unordered = known.filter((id) => !ordered.has(id))
    return [
      ...twice.map((id) => `ledger ${name}: ${id} is there twice`),
      ...unordered.map((id) => `ledger ${name}: nobody ordered ${id}`),
    ]
  }

  /** Compares the sums over all ledgers with the sums of the answers: no chips come from nowhere. */
  #sums(books: Books): string[] {
    return TOKENS.flatMap((token) => {
      const moved = this.#lasting.map(({ order, answer }) => movedBy(order, answer, token))
      const sum = (name: string) =>
        moved.reduce((total, [account, wei]) => (account === name ? total + wei : total), 0n)
      return ['faucet', 'partner'].flatMap((account) => {
        const kept = -totalOf(books, token, account)
        const answered = sum(account)
        return kept === answered
          ? []
          : [`${account} ${token}: the books have ${kept}, the answers said ${answered}`]
      })
    })
  }
}

/** Returns the chips that an answered order has brought to its player, and from where. */
function movedBy(
  { kind, body }: Order,
  { status, body: answer }: OrderAnswer,
  token: string,
): [account: string, amountWei: bigint] {
  if (status !== 200) return ['none', 0n]
  if (kind === 'faucet' && body['token'] === token)
    return ['faucet', BigInt(body['amountWei'] as string)]
  if (body['currency'] !== token) return ['none', 0n]
  const { balanceWei, balanceBeforeWei } = answer as Record<string, string>
  return ['partner', BigInt(balanceWei ?? 0) - BigInt(balanceBeforeWei ?? 0)]
}

/** Returns why an acknowledged order is not in the books as it was answered; null if it is. */
function problemOf(
  books: Books,
  ledger: AuditedLedger,
  order: Order,
  answer: OrderAnswer,
): string | null {
  const id = order.kind === 'withdraw' ? withdrawalId(ledger, order) : entryId(order)
  if (id !== null) {
    const entry = ledger.entries.find(({ operationId }) => operationId === id)
    if (!entry) return `${id} is not in the journal`
    const [account, wei] = movedBy(order, answer, String(order.body['currency']))
    if (account !== 'partner') return null
    const posted = entry.postings.reduce(
      (sum, { to, amountWei }) => sum + (to === 'chips' ? BigInt(amountWei) : -BigInt(amountWei)),
      0n,
    )
    return posted === wei ? null : `${id} moved ${posted}, the answer said ${wei}`
  }
  return betProblem(books, order, answer)
}

function withdrawalId({ entries }: AuditedLedger, { body }: Order): string {
  const end = `:${String(body['nonce'])}`
  const found = entries.find(
    ({ operationId }) => operationId.startsWith('withdraw:') && operationId.endsWith(end),
  )
  return found?.operationId ?? `a withdrawal${end}`
}

/** Looks for an accepted bet or a cash-out in its round and its ledger. */
function betProblem(
  books: Books,
  { kind, wallet, body }: Order,
  answer: OrderAnswer,
): string | null {
  const roundId = Number(body['roundId'])
  const round = books.rounds.find((each) => each.roundId === roundId)
  const placed = round?.bets.filter((bet) => bet.wallet === wallet) ?? []
  const [bet] = placed
  if (placed.length !== 1 || !bet) return `its round has ${placed.length} such bets`
  const held = [...books.ledgers].flatMap(([id, ledger]) =>
    ledger.name === wallet
      ? heldBets(id, ledger).filter(([key]) => key.startsWith(`${id}:${roundId}:`))
      : [],
  )
  const standing = held.filter(([, { status }]) => status !== 'never_placed')
  if (standing.length !== 1) return `its ledger has ${standing.length} such bets`
  if (kind === 'bet') return null
  const multiplier = Math.round(Number(answer.body['multiplier']) * 100)
  return bet.cashout === multiplier ? null : `its round cashed it out at ${bet.cashout}`
}

function told({ kind, wallet, body }: Order): string {
  const { authSig: _, signature: __, ...shown } = body
  return `${kind} of ${wallet} ${JSON.stringify(shown)}`
}
