import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign, soundToken, type Partner, type TokenParts } from './token.ts'

/** One call and its answer, for people to read. Nothing in it is a secret. */
export interface Exchange {
  sent: string
  received: string
}

export interface Answer {
  status: number
  /** The body, byte for byte. */
  text: string
  /** The body as JSON; an empty object where it is none. */
  body: {
    ok?: boolean
    balanceWei?: string
    balanceBeforeWei?: string
    partnerTransactionId?: string
    error?: { code: string; message: string; details?: Record<string, unknown> }
    entries?: StatementEntry[]
    next?: number | null
  }
}

export interface StatementEntry {
  partnerTransactionId: string
  type: string
  originalTransactionId?: string
  amountWei: string
  balanceWei: string
  balanceBeforeWei: string
  at: number
}

export interface Player {
  address: string
  currency: 'ETH' | 'USDG'
}

/** A call as it goes out; what is left out is as it should be. */
export interface Call {
  method?: 'GET' | 'POST'
  path: string
  /** The body's text. */
  body?: string | Uint8Array<ArrayBuffer>
  contentType?: string
  /** Who calls, if not the partner. */
  as?: Partner
  /** Spoils the token. */
  spoil?: (token: TokenParts) => TokenParts
  /** The whole header; null for none. */
  authorization?: string | null
}

/** What a call may differ in from what it should be. */
export type Difference = Omit<Call, 'path' | 'method' | 'body'> & { id?: string }

const TIMEOUT_MS = 30_000
const LIMITED_TRIES = 20
const LONGEST_WAIT_S = 10
const MOST_PAGES = 1_000

/** A partner's side of the bridge: signs, sends, and takes down what went over the wire. */
export class Bridge {
  readonly exchanges: Exchange[] = []
  readonly #url: () => URL
  readonly #partner: Partner
  readonly #players: Player[] = []

  constructor(url: () => URL, partner: Partner) {
    this.#url = url
    this.#partner = partner
  }

  /** A player nobody has seen before; with chips if wanted, in whole tokens. */
  async player(chips = '0', currency: Player['currency'] = 'USDG'): Promise<Player> {
    const player: Player = { address: `0x${randomBytes(20).toString('hex')}`, currency }
    this.#players.push(player)
    if (chips !== '0') {
      const { status, text } = await this.transaction(player, chips)
      if (status !== 200) throw new Error(`a player could not be given chips: ${text}`)
    }
    return player
  }

  balance(player: Player, difference: Difference = {}): Promise<Answer> {
    return this.call({ path: `/api/wallet/balance?${query(player)}`, ...difference })
  }

  /** @param amount the source text of a JSON number, in whole tokens */
  transaction(player: Player, amount: string, difference: Difference = {}): Promise<Answer> {
    const { id = randomUUID(), ...rest } = difference
    const fields = `${playerFields(player)},"partnerTransactionId":${JSON.stringify(id)}`
    const body = `{${fields},"amount":${amount}}`
    return this.call({ method: 'POST', path: '/api/wallet/transaction', body, ...rest })
  }

  rollback(player: Player, originalId: string, difference: Difference = {}): Promise<Answer> {
    const { id = randomUUID(), ...rest } = difference
    const ids = { partnerTransactionId: id, originalTransactionId: originalId }
    const body = `{${playerFields(player)},${JSON.stringify(ids).slice(1)}`
    return this.call({ method: 'POST', path: '/api/wallet/rollback', body, ...rest })
  }

  /** Every entry of a player's statement, page by page. */
  async statement(player: Player, limit: number, window = ''): Promise<StatementEntry[]> {
    const entries: StatementEntry[] = []
    let cursor = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `/api/wallet/statement?${query(player)}&cursor=${cursor}&limit=${limit}${window}`
      const { body } = await this.call({ path })
      entries.push(...(body.entries ?? []))
      if (body.next === null || body.next === undefined) return entries
      cursor = body.next
    }
    throw new Error('the statement has no last page')
  }

  /** Takes back what the players of this bridge were given. @returns those that keep something */
  async clean(): Promise<Player[]> {
    const kept: Player[] = []
    for (const player of this.#players.splice(0)) {
      const { text } = await this.balance(player)
      const left = /"balance":([0-9.]+)/.exec(text)?.[1]
      if (left === '0') continue
      const { status } = await this.transaction(player, `-${left}`)
      if (status !== 200) kept.push(player)
    }
    return kept
  }

  /** A call that was refused as one too many did nothing, so it is sent again. */
  async call(call: Call): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const { response, text } = await this.#send(call)
      if (response.status !== 429 || tries === LIMITED_TRIES) {
        return { status: response.status, text, body: parse(text) }
      }
      const seconds = Number(response.headers.get('retry-after') ?? 1)
      await sleep(Math.min(seconds, LONGEST_WAIT_S) * 1000)
    }
  }

  async #send(call: Call): Promise<{ response: Response; text: string }> {
    const { method = 'GET', path, body, contentType = 'application/json', as } = call
    const signedBody = typeof body === 'string' ? body : null
    const sound = soundToken(as ?? this.#partner, signedBody)
    const token = call.spoil ? call.spoil(sound) : sound
    const { authorization = `Bearer ${sign(token)}` } = call
    const headers = new Headers()
    if (authorization !== null) headers.set('authorization', authorization)
    if (body !== undefined) headers.set('content-type', contentType)
    const response = await fetch(new URL(path, this.#url()), {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const shownToken =
      call.authorization === undefined
        ? `token ${JSON.stringify(token.header)} ${JSON.stringify(token.claims)}`
        : `authorization ${authorization === null ? 'none' : `${authorization.slice(0, 24)}…`}`
    this.exchanges.push({
      sent: [`${method} ${path.replace(JWT, '<token>')}`, shownToken, shorten(body)]
        .filter(Boolean)
        .join('\n'),
      received: `${response.status} ${shorten(text)}`,
    })
    return { response, text }
  }
}

const LONGEST_SHOWN = 600

/** Tokens live for seconds; still they have no place in a report. */
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]*/

function shorten(body: string | Uint8Array | undefined): string {
  if (body === undefined) return ''
  if (typeof body !== 'string') return `${body.length} bytes`
  return body.length > LONGEST_SHOWN ? `${body.slice(0, LONGEST_SHOWN)}… (${body.length})` : body
}

function query({ address, currency }: Player): string {
  return `playerId=${address}&currency=${currency}`
}

function playerFields({ address, currency }: Player): string {
  return `"playerId":"${address}","currency":"${currency}"`
}

function parse(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body']
  } catch {
    return {}
  }
}
