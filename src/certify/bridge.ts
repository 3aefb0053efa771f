import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign, soundToken, type PartnerCredentials, type TokenParts } from './token.ts'
import { PlayerWallet, type PermissionScope, type Permit } from './wallet.ts'

/** One call and its answer, for people to read. Contains no secrets. */
export interface Exchange {
  sent: string
  received: string
}

/** A player's permission for a partner in one token, as shown in answers. */
interface ShownPermission extends Omit<Permit, 'expiresAt'> {
  expiresAt: number | null
  usedWei: string
  consent: string
}

export interface Answer {
  status: number
  /** The body, byte for byte. */
  text: string
  /** The body as JSON; an empty object if it isn't JSON. */
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

/** A call to send. Omitted fields take their correct values. */
export interface Call {
  method?: 'GET' | 'POST'
  path: string
  /** The body's text. */
  body?: string | Uint8Array<ArrayBuffer>
  contentType?: string
  /** The caller, if not the partner. */
  as?: PartnerCredentials
  /** Alters the token. */
  spoil?: (token: TokenParts) => TokenParts
  /** The whole header; null to omit it. */
  authorization?: string | null
}

/** The deviations of a call from a correct one. */
type Difference = Omit<Call, 'path' | 'method' | 'body'> & { id?: string }

/** The deviations of a permission from a generous one signed by its player. */
export type Wish = Partial<Permit> & { signedBy?: Player }

/** More than any player has, and longer than every case. */
const GENEROUS_WEI = 10n ** 60n
const GENEROUS_S = 86_400

const TIMEOUT_MS = 30_000
const LIMITED_TRIES = 20
const LONGEST_WAIT_S = 10
const MAX_PAGES = 1_000

/** A partner's side of the bridge. Signs and sends calls, and records them with their answers. */
export class Bridge {
  readonly exchanges: Exchange[] = []
  readonly #url: () => URL
  readonly #partner: PartnerCredentials
  readonly #required: ReadonlySet<string>
  readonly #players: Player[] = []
  /** The players' wallets, by address. */
  readonly #wallets = new Map<string, PlayerWallet>()

  /** @param required the ids of partners that need a permission to debit */
  constructor(
    url: () => URL,
    partner: PartnerCredentials,
    required: ReadonlySet<string> = new Set(),
  ) {
    this.#url = url
    this.#partner = partner
    this.#required = required
  }

  /** Creates a new player who permits the partner to debit. @param chips in whole tokens */
  async player(chips = '0', currency: Player['currency'] = 'USDG'): Promise<Player> {
    const player = await this.stranger(chips, currency)
    await this.permit(player)
    return player
  }

  /** Creates a new player without any permission. @param chips in whole tokens */
  async stranger(chips = '0', currency: Player['currency'] = 'USDG'): Promise<Player> {
    const wallet = new PlayerWallet()
    const player: Player = { address: wallet.address, currency }
    this.#wallets.set(wallet.address, wallet)
    this.#players.push(player)
    if (chips !== '0') {
      const { status, text } = await this.transaction(player, chips)
      if (status !== 200) throw new Error(`crediting a new player failed: ${text}`)
    }
    return player
  }

  /** Has a player permit a partner's debits, if they need a permission. */
  async permit(player: Player, partner = this.#partner): Promise<void> {
    if (!this.#required.has(partner.id)) return
    const { status, text } = await this.grant(player, { partner: partner.id })
    if (status !== 200) throw new Error(`granting a permission failed: ${text}`)
  }

  balance(player: Player, difference: Difference = {}): Promise<Answer> {
    return this.call({ path: `/api/wallet/balance?${query(player)}`, ...difference })
  }

  /** @param amount the source text of a JSON number, in whole tokens */
  transaction(player: Player, amount: string, difference: Difference = {}): Promise<Answer> {
    return this.move(player, `"amount":${amount}`, difference)
  }

  /** @param fields the source text of the body's amount fields */
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

  /** Returns all entries of a player's statement, page by page. */
  async statement(player: Player, limit: number, window = ''): Promise<StatementEntry[]> {
    const entries: StatementEntry[] = []
    let cursor = 0
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `/api/wallet/statement?${query(player)}&cursor=${cursor}&limit=${limit}${window}`
      const { body } = await this.call({ path })
      entries.push(...(body.entries ?? []))
      if (body.next === null || body.next === undefined) return entries
      cursor = body.next
    }
    throw new Error('the statement has no last page')
  }

  /** Returns a player's permissions for all partners and tokens. */
  async permissions({ address }: Player): Promise<Answer> {
    const authSig = await this.#authSig(address)
    const path = `/api/wallet/permissions?wallet=${address}&authSig=${authSig}`
    return this.call({ path, authorization: null })
  }

  /** Returns a player's permission for the partner. */
  async permission(player: Player, partner = this.#partner.id): Promise<ShownPermission | null> {
    const { body } = await this.permissions(player)
    const isMeant = (one: ShownPermission) =>
      one.partner === partner && one.token === player.currency
    return body.permissions?.find(isMeant) ?? null
  }

  /** Has a player sign and grant a permission: a generous one, apart from the given deviations. */
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
    if (!domain || !tokens)
      throw new Error('the answer of /api/wallet/permissions has no domain or tokens')
    const wallet = this.#walletOf(signedBy.address)
    const signature = await wallet.signPermission({ domain, tokens }, address, permit)
    return this.changePermission(player, 'grant', { ...permit, signature })
  }

  revoke(player: Player): Promise<Answer> {
    const fields = { partner: this.#partner.id, token: player.currency }
    return this.changePermission(player, 'revoke', fields)
  }

  /** Sends a change of permission with the player's credentials. */
  async changePermission({ address }: Player, action: string, fields: object): Promise<Answer> {
    const authSig = await this.#authSig(address)
    const body = JSON.stringify({ action, wallet: address, authSig, ...fields })
    return this.call({ method: 'POST', path: '/api/wallet/permission', body, authorization: null })
  }

  /** Debits the remaining chips of this bridge's players. @returns the players with chips left */
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

  /** Sends a call. Repeats it after `rate_limited`, which is safe because nothing was done. */
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
    if (!wallet) throw new Error(`${address} is not a player of this bridge`)
    return wallet
  }

  #authSig(address: string): Promise<string> {
    const path = `/api/auth/message?wallet=${address}`
    return this.#walletOf(address).authSig(async () => {
      const { body, text } = await this.call({ path, authorization: null })
      if (body.message === undefined)
        throw new Error(`reading a player's sign-in message failed: ${text}`)
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

/** A token, to remove from reports, although it expires within seconds. */
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]*/

/** A player's sign-in signature, to remove from reports. */
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
