import { createHmac } from 'node:crypto'
import { DEV_PARTNER } from '../../../src/cli/shared/dev-partners.ts'
import type { World } from '../world/world.ts'
import { type Answer, ask, insist, numbered, operate } from './client.ts'

/** The pauses of a partner between calls. In milliseconds. */
const PAUSE_MS = [100, 4_000] as const
const LIFETIME_S = 25
const MAX_TRIES = 3
/** Within this time the chain is read again. */
const READ_MS = 70_000
/** Once nothing goes wrong any more, a call is decided within this many tries. */
const LAST_TRIES = 5

const KINDS = [
  'debit',
  'debit',
  'credit',
  'credit',
  'rollback',
  'repeat',
  'conflict',
  'read',
] as const

/** A call that moves money, and what it was answered. */
export interface Order {
  id: string
  wallet: string
  /** In smallest units: negative for a debit. Null for a rollback. */
  amountWei: bigint | null
  /** The transaction that a rollback undoes. */
  originalId: string | null
  /** The decided answer, the same for ever; null before. */
  answer: Answer | null
  /** The code of the latest answer that decides nothing. */
  openCode: string | null
  /** Whether the player did not let the partner, which is no decision for ever. */
  isBarred: boolean
}

/** Refusals that a later call may not meet. */
const BARRED = ['excluded', 'limit_reached', 'permission_required', 'wallet_frozen']

/** A partner platform: debits, credits and rolls back, under ids of its own. */
export class PartnerClient {
  readonly orders: Order[] = []
  readonly #world: World
  readonly #next = numbered('partner')
  readonly #wallets: readonly string[]

  constructor(world: World, wallets: readonly string[]) {
    this.#world = world
    this.#wallets = wallets
  }

  /** Calls until a time. */
  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      await this.#operate(name, random.pick(`${name} kind`, KINDS))
    })
  }

  /** Sends every order again, so that each is decided. */
  async settle(): Promise<void> {
    const settle = async (order: Order) =>
      this.#send(`partner settles ${order.id}`, order, LAST_TRIES)
    for (const order of this.orders) await settle(order)
    const undecided = this.orders.filter(({ answer, isBarred }) => !answer && !isBarred)
    if (undecided.length === 0 || !this.#world.chain) return
    // While a deposit is in doubt, its player's debits wait until the chain is read.
    await this.#world.scheduler.sleep(READ_MS)
    for (const order of undecided) await settle(order)
  }

  /** Reads all movements of a player from the statement. */
  async statement(wallet: string): Promise<Record<string, unknown>[] | null> {
    const entries: Record<string, unknown>[] = []
    for (let cursor: number | null = 0; cursor !== null;) {
      const query = new URLSearchParams({ playerId: wallet, currency: 'USDG', limit: '7' })
      query.set('cursor', String(cursor))
      const path = `/api/wallet/statement?${query.toString()}`
      const answer = await this.#get(`partner reads ${wallet}`, path, 'statement')
      if (answer?.status !== 200) return null
      entries.push(...(answer.json['entries'] as Record<string, unknown>[]))
      cursor = answer.json['next'] as number | null
    }
    return entries
  }

  async #operate(name: string, kind: (typeof KINDS)[number]): Promise<void> {
    const { random } = this.#world
    const wallet = random.pick(`${name} wallet`, this.#wallets)
    const earlier = this.orders.length > 0 ? random.pick(`${name} earlier`, this.orders) : null
    const tries = random.between(`${name} tries`, 1, MAX_TRIES)
    switch (kind) {
      case 'debit':
      case 'credit': {
        const units = BigInt(random.between(`${name} amount`, 0, 90)) * 1_000_000n
        const amountWei = kind === 'debit' ? -units : units
        return this.#send(
          name,
          this.#order({ id: name, wallet, amountWei, originalId: null }),
          tries,
        )
      }
      case 'rollback': {
        // Some are of transactions that have not been sent, or only later.
        const originalId = random.chance(`${name} is early`, 0.2)
          ? `partner ${this.orders.length + random.between(`${name} ahead`, 1, 3)}`
          : earlier?.id
        if (originalId === undefined || originalId === name) return
        const of = this.orders.find(({ id }) => id === originalId)
        const order = { id: name, wallet: of?.wallet ?? wallet, amountWei: null, originalId }
        return this.#send(name, this.#order(order), tries)
      }
      case 'repeat':
        return earlier ? this.#send(name, earlier, tries) : undefined
      case 'conflict':
        return earlier ? this.#conflict(name, earlier) : undefined
      case 'read':
        return this.#read(name, wallet)
    }
  }

  #order(fields: Omit<Order, 'answer' | 'openCode' | 'isBarred'>): Order {
    const order = { ...fields, answer: null, openCode: null, isBarred: false }
    this.orders.push(order)
    return order
  }

  async #send(name: string, order: Order, tries: number): Promise<void> {
    const answer = await this.#post(name, order, tries)
    order.openCode = codeOf(answer)
    if (!answer || answer.status >= 500 || answer.status === 429 || answer.status === 401) return
    order.isBarred = BARRED.includes(order.openCode ?? '')
    if (order.isBarred) return
    order.answer ??= answer
    this.#world.promise(`order ${order.id}`, `${answer.status} ${answer.text}`)
  }

  /** Uses an id for something else, which must be refused once it stands for something. */
  async #conflict(name: string, earlier: Order): Promise<void> {
    const other = { ...earlier, amountWei: 123n, originalId: null }
    const wasDecided = earlier.answer !== null
    const answer = wasDecided ? await this.#post(name, other, 1) : null
    if (answer?.status === 200) this.#world.violate(`the id ${earlier.id} was used for two orders`)
  }

  async #read(name: string, wallet: string): Promise<void> {
    const query = new URLSearchParams({ playerId: wallet, currency: 'USDG' })
    const answer = await this.#get(name, `/api/wallet/balance?${query.toString()}`, 'balance')
    if (answer?.status !== 200) return
    const { balanceWei } = answer.json
    this.#world.standings.checkBalance(wallet, 'USDG', balanceWei, answer.sentAt)
  }

  #post(name: string, { id, wallet, amountWei, originalId }: Order, tries: number) {
    const isRollback = originalId !== null
    const fields = { playerId: wallet, currency: 'USDG', partnerTransactionId: id }
    const rest = isRollback
      ? { originalTransactionId: originalId }
      : { amountWei: (amountWei ?? 0n).toString() }
    const action = isRollback ? 'rollback' : 'transaction'
    return insist(
      this.#world,
      name,
      {
        method: 'POST',
        path: `/api/wallet/${action}`,
        action,
        headers: this.#headers(name),
        body: JSON.stringify({ ...fields, ...rest }),
        subject: `the answer to ${id} with ${JSON.stringify(rest)}`,
      },
      tries,
    )
  }

  #get(name: string, path: string, action: string) {
    return ask(this.#world, name, { method: 'GET', path, action, headers: this.#headers(null) })
  }

  /** Signs a token. @param jti the name of its single use, or null for a token that only reads */
  #headers(jti: string | null): Record<string, string> {
    const iat = Math.floor(this.#world.scheduler.now / 1000)
    const claims = {
      iss: DEV_PARTNER.id,
      aud: 'wallet-bridge',
      iat,
      exp: iat + LIFETIME_S,
      ...(jti !== null && { jti: `${jti} at ${this.#world.scheduler.now}` }),
    }
    const signed = [{ alg: 'HS256', kid: DEV_PARTNER.kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = createHmac('sha256', DEV_PARTNER.secret).update(signed).digest('base64url')
    return { authorization: `Bearer ${signed}.${signature}` }
  }
}

function codeOf(answer: Answer | null): string | null {
  const { code = null } = (answer?.json['error'] ?? {}) as { code?: string }
  return code
}
