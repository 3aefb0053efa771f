import { sign, soundToken, type TokenParts } from '../../src/certify/token.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { dateOf } from '../../src/core/utc-day.ts'
import { TOKENS } from '../../src/money/token.ts'
import type { Call, Operation } from '../../src/reference/operation.ts'
import { OPERATIONS } from '../../src/reference/operations.ts'
import type { Random } from '../live/random.ts'
import type { Actor, Cast } from './cast.ts'
import { treeOf, valueOf, withField, type Tree } from './tree.ts'

/** A request before it is signed and sent. */
export interface Draft {
  operation: Operation
  call: Call
  actor: Actor
  method: string
  /** Without its query. */
  path: string
  /** The `authorization` header; null if a partner's token is made for the bytes that are sent, or none is needed. */
  authorization: string | null
  query: [name: string, value: string][]
  body: Tree | null
}

/** A request as it is sent. */
export interface FuzzRequest {
  method: string
  /** Includes the query. */
  path: string
  headers: [name: string, value: string][]
  body: Buffer | null
}

/** The live stream is fuzzed apart, and the reference is files of the page, which the Worker doesn't serve. */
const APART = ['getCrashStream', 'getReferenceDocument', 'getReferencePage']

/** Every call of the API. */
export const CALLS: [Operation, Call][] = OPERATIONS.filter(
  ({ id }) => !APART.includes(id),
).flatMap((operation) => operation.calls.map((call): [Operation, Call] => [operation, call]))

export function nameOf({ operation, call }: Pick<Draft, 'operation' | 'call'>): string {
  return `${operation.method.toUpperCase()} ${operation.path} ${call.name}`
}

/** Builds a call that should be accepted, from the example in the reference. */
export function validDraft(
  random: Random,
  cast: Cast,
  [operation, call]: [Operation, Call],
): Draft {
  const actor = actorOf(random, cast, operation, call)
  const { query = {}, body } = call.example
  const fields = freshFields(random, cast, actor, call)
  const refresh = ([name, value]: [string, string]): [string, string] => [
    name,
    fields[name]?.toString() ?? value,
  ]
  const fresh =
    body &&
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, fields[name] ?? (value as unknown)]),
    )
  return {
    operation,
    call,
    actor,
    path: pathOf(random, cast, operation),
    authorization: authorizationOf(random, cast, call),
    method: operation.method.toUpperCase(),
    query: Object.entries(query).map(refresh),
    body: fresh ? treeOf(withChoices(random, cast, call, fresh)) : null,
  }
}

/** Whose limits would end the run of everybody's bets and plays, if everybody set them. */
function actorOf(random: Random, cast: Cast, { id }: Operation, { name }: Call): Actor {
  if (name === 'house-topup' && random.chance(0.5)) return cast.owner
  if (name === 'exclude') return random.pick(cast.excluded)
  const payers = cast.actors.filter(({ wallet }) => cast.rents.has(wallet))
  if (name === 'rent' && random.chance(0.7)) return random.pick(payers)
  return random.pick(id === 'postLimits' ? cast.limited : cast.actors)
}

/** Fills in the variable parts of a path. */
function pathOf(random: Random, cast: Cast, { id, path }: Operation): string {
  if (id === 'getExportFile') return random.pick(cast.exportFiles)
  if (id === 'getLogTile') return cast.tilePath(random, 0)
  return id === 'getLogEntries' ? cast.tilePath(random, 'entries') : path
}

function authorizationOf(random: Random, cast: Cast, { caller }: Call): string | null {
  const isMonitors =
    caller === 'monitor' || (caller === 'operator or monitor' && random.chance(0.5))
  if (isMonitors) return `Bearer ${METRICS_TOKEN}`
  return caller?.startsWith('operator') ? random.pick(cast.signIns) : null
}

let made = 0

/** Returns values for the fields of examples, which are of another time and another wallet. */
function freshFields(
  random: Random,
  cast: Cast,
  actor: Actor,
  call: Call,
): Record<string, string | number> {
  const { next } = actor
  const isOfEnded = ['round', 'verify-seeds'].includes(call.name)
  const bet = call.name === 'bet' && call.example.query ? cast.endedBet(random) : null
  const { wallet, authSig } = bet?.actor ?? actor
  const now = Date.now()
  const token = random.pick(TOKENS)
  const id = `fuzz-${random.chance(0.7) ? ++made : random.between(1, made + 1)}`
  const nonces: Record<string, number> = {
    withdraw: next.withdrawal,
    grant: next.permission,
    play: call.example.query ? random.between(0, next.play) : next.play,
    'mines-open': next.play,
    'mines-pick': Math.max(0, next.play - 1),
    'mines-cashout': Math.max(0, next.play - 1),
  }
  const past = random.chance(isOfEnded ? 0.9 : 0.3) ? random.between(isOfEnded ? 1 : 0, 3) : 0
  return {
    wallet,
    authSig,
    playerId: wallet,
    nonce: nonces[call.name] ?? 0,
    roundId: bet?.roundId ?? Math.max(1, cast.roundId - past),
    token,
    currency: token,
    partner: random.pick([DEV_PARTNER.id, OTHER_DEV_PARTNER.id]),
    partnerTransactionId: id,
    originalTransactionId: `fuzz-${random.between(1, made + 3)}`,
    txHash: (call.name === 'rent' && cast.rents.get(wallet)) || random.pick(cast.payments),
    postUrl: random.pick(cast.postUrls),
    amountWei: random.pick(AMOUNTS[call.name] ?? STAKES[token]),
    // Each faucet call credits once, so that the sum of all is known.
    ...(call.name === 'faucet' && { id: `faucet-${++made}` }),
    expiresAt: Math.floor(now / 1000) + random.between(30, 10_000),
    // Two operators who order the same within an hour confirm each other's acts.
    ...(call.name === 'act' && { expiresAt: (Math.floor(now / 3_600_000) + 2) * 3_600 }),
    operator: random.pick(cast.operators).wallet,
    date: dateOf(now + random.between(0, 20) * 86_400_000),
    from: call.name === 'books' ? dateOf(now) : String(now - random.between(0, 100_000)),
    to: dateOf(now),
    tile: random.between(0, 24),
    boxId: random.pick(cast.boxIds),
    target: random.pick([wallet, wallet, `${wallet}:0`]),
  }
}

/** The token of the operator's monitor. */
export const METRICS_TOKEN = 'a-token-of-the-monitor-0123456789'

/** Within the limits of bets and plays. */
const STAKES = {
  ETH: ['50000000000000', '1000000000000000', '200000000000000000'],
  USDG: ['10000', '2500000', '500000000'],
}

const AMOUNTS: Record<string, string[]> = {
  // Little, because the house has to back these chips.
  faucet: ['1', '1000000', '10000000'],
  transaction: ['-1', '-1000000', '1', '1000000', '0'],
  withdraw: ['1', '1000000', '1000000000000000'],
}

/** Adds what examples leave out: another game, an optional field. */
function withChoices(
  random: Random,
  cast: Cast,
  { name }: Call,
  body: Record<string, unknown>,
): Record<string, unknown> {
  if (name === 'play') {
    const [game, params] = random.pick(GAMES)
    const nonce = random.chance(0.8) ? { nonce: body['nonce'] } : {}
    const { nonce: _, ...others } = body
    return { ...others, game, params, ...nonce }
  }
  if (name === 'bet' && random.chance(0.5)) return { ...body, roundId: cast.roundId }
  if (name === 'cashout' && random.chance(0.7)) return { ...body, roundId: cast.roundId }
  if (name === 'house-topup') return { ...body, record: random.chance(0.2) }
  if (name === 'transaction' && random.chance(0.3)) {
    const { amountWei: _, ...others } = body
    return { ...others, amount: random.pick([-1, 1, 0.5, -0.000001, 0]) }
  }
  if (name === 'act' && random.chance(0.1)) {
    return { ...body, act: 'release-withdrawal', target: `${random.pick(cast.actors).wallet}:0` }
  }
  if (name === 'rpc') return { ...body, ...random.pick(RPC_CALLS) }
  return body
}

const GAMES: [game: string, params: object][] = [
  ['limbo', { target: 2 }],
  ['mines', { mines: 3, pick: [0, 7, 12] }],
  ['mines', { mines: 1, pick: 4 }],
  ['plinko', { rows: 8, risk: 'low' }],
  ['keno', { picks: [1, 2, 3] }],
]

const ZERO = `0x${'0'.repeat(40)}`
const RPC_CALLS = [
  { method: 'eth_getBalance', params: [ZERO, 'latest'] },
  { method: 'eth_call', params: [{ to: ZERO, data: '0x' }, 'latest'] },
  { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x1' }] },
  { method: 'eth_getBlockByNumber', params: ['latest', true] },
  { method: 'eth_sendRawTransaction', params: ['0x00'] },
  { method: 'eth_feeHistory', params: ['0x2', 'latest', [50]] },
]

/** Signs what the body orders, as it is now: so that a wrong value is not refused for its signature. */
export async function withSignature(cast: Cast, draft: Draft): Promise<Draft> {
  const { body, actor, call } = draft
  if (!body) return draft
  const order = valueOf(body) as never
  try {
    const signature = await signatureOf(cast, actor, call.name, order)
    return signature === null ? draft : { ...draft, body: withField(body, 'signature', signature) }
  } catch {
    // No wallet can sign such an order.
    return draft
  }
}

async function signatureOf(
  cast: Cast,
  actor: Actor,
  name: string,
  order: never,
): Promise<string | null> {
  switch (name) {
    case 'withdraw':
      return cast.signWithdrawal(actor, order)
    case 'grant':
      return cast.signGrant(actor, order)
    case 'act':
      return cast.signAct(order)
    default:
      return null
  }
}

/** Turns a draft into bytes. A partner's token is made last, because it signs the body. */
export function sealed(
  draft: Draft,
  text: string | null,
  partner = DEV_PARTNER,
  spoil: (token: TokenParts) => TokenParts = (token) => token,
): FuzzRequest {
  const { method, path, query, call, authorization } = draft
  const search = query.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')
  const headers: [string, string][] = text === null ? [] : [['content-type', 'application/json']]
  if (authorization !== null) headers.push(['authorization', authorization])
  if (call.caller === 'partner') {
    headers.push(['authorization', `Bearer ${sign(spoil(soundToken(partner, text)))}`])
  }
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers,
    body: text === null ? null : Buffer.from(text),
  }
}

/** Lone surrogates have no place in a URL. */
function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).slice(0, 12_000)
}
