import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign, soundToken, type Partner, type TokenParts } from './token.ts'
import { PlayerWallet, type PermissionScope, type Permit } from './wallet.ts'

/** One call and its answer, for people to read. Nothing in it is a secret. */
export interface Exchange {
  sent: string
  received: string
}

/** What a player permits a partner in one token, as it is answered. */
export interface ShownPermission extends Omit<Permit, 'expiresAt'> {
  expiresAt: number | null
  usedWei: string
  consent: string
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
    message?: string
    permission?: ShownPermission
    permissions?: ShownPermission[]
  } & Partial<PermissionScope>
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

/** What a permission may differ in from a generous one, signed by its player. */
export type Wish = Partial<Permit> & { signedBy?: Player }

/** More than anybody has, and long enough for every case. */
const GENEROUS_WEI = 10n ** 60n
const GENEROUS_S = 86_400

const TIMEOUT_MS = 30_000
const LIMITED_TRIES = 20
const LONGEST_WAIT_S = 10
const MOST_PAGES = 1_000

/** A partner's side of the bridge: signs, sends, and takes down what went over the wire. */
export class Bridge {
  readonly exchanges: Exchange[] = []
  readonly #url: () => URL
  readonly #partner: Partner
  readonly #required: ReadonlySet<string>
  readonly #players: Player[] = []
  /** Who can sign, by their addresses. */
  readonly #wallets = new Map<string, PlayerWallet>()

  /** @param required the ids of partners that debit nobody without a permission */
  constructor(url: () => URL, partner: Partner, required: ReadonlySet<string> = new Set()) {
    this.#url = url
    this.#partner = partner
    this.#required = required
  }

  /** A player nobody has seen before, who lets the partner debit; with chips if wanted, in whole tokens. */
  async player(chips = '0', currency: Player['currency'] = 'USDG'): Promise<Player> {
    const player = await this.stranger(chips, currency)
    await this.permit(player)
    return player
  }

  /** The same, but one who has permitted nothing. */
  async stranger(chips = '0', currency: Player['currency'] = 'USDG'): Promise<Player> {
    const wallet = new PlayerWallet()
    const player: Player = { address: wallet.address, currency }
    this.#wallets.set(wallet.address, wallet)
    this.#players.push(player)
    if (chips !== '0') {
      const { status, text } = await this.transaction(player, chips)
      if (status !== 200) throw new Error(`a player could not be given chips: ${text}`)
    }
    return player
  }

  /** Has a player permit whatever a partner debits, where that needs a permission. */
  async permit(player: Player, partner = this.#partner): Promise<void> {
    if (!this.#required.has(partner.id)) return
    const { status, text } = await this.grant(player, { partner: partner.id })
    if (status !== 200) throw new Error(`a player could not permit debits: ${text}`)
  }

  balance(player: Player, difference: Difference = {}): Promise<Answer> {
    return this.call({ path: `/api/wallet/balance?${query(player)}`, ...difference })
  }

  /** @param amount the source text of a JSON number, in whole tokens */
  transaction(player: Player, amount: string, difference: Difference = {}): Promise<Answer> {
    return this.move(player, `"amount":${amount}`, difference)
  }

  /** @param fields what is to be moved, as the source text of the body's other fields */
  move(player: Player, fields: string, difference: Difference = {}): Promise<Answer> {
    const { id = randomUUID(), ...rest } = difference
    const ids = `${playerFields(player)},"partnerTransactionId":${JSON.stringify(id)}`
    const body = `{${ids},${fields}}`
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

  /** What a player permits every partner, in every token. */
  async permissions({ address }: Player): Promise<Answer> {
    const authSig = await this.#authSig(address)
    const path = `/api/wallet/permissions?wallet=${address}&authSig=${authSig}`
    return this.call({ path, authorization: null })
  }

  /** What a player permits the partner. */
  async permission(player: Player, partner = this.#partner.id): Promise<ShownPermission | null> {
    const { body } = await this.permissions(player)
    const isMeant = (one: ShownPermission) =>
      one.partner === partner && one.token === player.currency
    return body.permissions?.find(isMeant) ?? null
  }

  /** Has a player sign a permission and hand it in: a generous one, but for what is wished. */
  async grant(player: Player, { signedBy = player, ...wish }: Wish = {}): Promise<Answer> {
    const { address, currency: token } = player
    const { body } = await this.permissions(player)
    const partner = wish.partner ?? this.#partner.id
    const shown = body.permissions?.find((one) => one.partner === partner && one.token === token)
    const permit = {
      partner,
      token,
      maxPerDayWei: GENEROUS_WEI.toString(),
      expiresAt: Math.floor(Date.now() / 1000) + GENEROUS_S,
      nonce: shown?.nonce ?? 0,
      ...wish,
    }
    const { domain, tokens } = body
    if (!domain || !tokens) throw new Error('the service does not say what a permission is for')
    const wallet = this.#walletOf(signedBy.address)
    const signature = await wallet.signPermission({ domain, tokens }, address, permit)
    return this.changePermission(player, 'grant', { ...permit, signature })
  }

  revoke(player: Player): Promise<Answer> {
    const fields = { partner: this.#partner.id, token: player.currency }
    return this.changePermission(player, 'revoke', fields)
  }

  /** A call about a permission, signed in by the player. */
  async changePermission({ address }: Player, action: string, fields: object): Promise<Answer> {
    const authSig = await this.#authSig(address)
    const body = JSON.stringify({ action, wallet: address, authSig, ...fields })
    return this.call({ method: 'POST', path: '/api/wallet/permission', body, authorization: null })
  }

  /** Takes back what the players of this bridge were given. @returns those that keep something */
  async clean(): Promise<Player[]> {
    const kept: Player[] = []
    for (const player of this.#players.splice(0)) {
      const { text } = await this.balance(player)
      const left = /"balance":([0-9.]+)/.exec(text)?.[1]
      if (left === '0') continue
      let { status } = await this.transaction(player, `-${left}`)
      if (status === 403 || status === 422) {
        await this.permit(player)
        ;({ status } = await this.transaction(player, `-${left}`))
      }
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

  #walletOf(address: string): PlayerWallet {
    const wallet = this.#wallets.get(address)
    if (!wallet) throw new Error(`${address} is no player of this bridge`)
    return wallet
  }

  #authSig(address: string): Promise<string> {
    const path = `/api/auth/message?wallet=${address}`
    return this.#walletOf(address).authSig(async () => {
      const { body, text } = await this.call({ path, authorization: null })
      if (body.message === undefined) throw new Error(`a player could not sign in: ${text}`)
      return body.message
    })
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
        .join('\n')
        .replace(SIGN_IN, '$1<signature>'),
      received: `${response.status} ${shorten(text)}`,
    })
    return { response, text }
  }
}

const LONGEST_SHOWN = 600

/** Tokens live for seconds; still they have no place in a report. */
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]*/

/** A player's, likewise. */
const SIGN_IN = /(authSig(?:=|":"))0x[0-9a-f]*/

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
