import { concatBytes } from '@noble/hashes/utils'
import { Hono } from 'hono'
import { retried } from '../../calls/call.ts'
import { configNow } from '../../calls/current-config.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { currentModes } from '../../calls/modes.ts'
import { ledger, partnerIds } from '../../calls/objects.ts'
import type { PartnerConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { sha256Hex } from '../../core/sha256.ts'
import { utf8 } from '../../core/utf8.ts'
import type { WithEntry, TakenRef } from '../../ledger/journal.ts'
import { rollbackText, transactionText, type TransferResult } from '../../ledger/transfer.ts'
import type { Token } from '../../money/token.ts'
import { checkWallet, type KnownModes } from '../../operator/modes.ts'
import { balanceBody, statementBody, transferBody } from '../../wallet-bridge/answers.ts'
import { checkOriginal, shardOf, type IdClaim, type TokenUse } from '../../wallet-bridge/ids.ts'
import {
  checkTimes,
  INVALID,
  verifyPartnerToken,
  type PartnerClaims,
} from '../auth/partner-token.ts'
import { answerRefusal, answerText } from '../http/answer.ts'
import { readSignedJson, type JsonObject } from '../http/body.ts'
import { get, postByAction, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { clientAddress, checkRateLimit } from '../http/rate-limits.ts'
import { refuseNearMisses, validate } from '../http/schema.ts'
import { receiptOf } from '../receipts/sign.ts'
import { grant, readPermissions, revoke } from './permission-routes.ts'
import {
  BalanceQuery,
  ROLLBACK_NAMES,
  RollbackBody,
  StatementQuery,
  TRANSACTION_NAMES,
  TransactionBody,
} from './schema.ts'

const PAGE = 100

export const walletRoutes = new Hono<{ Bindings: Env }>()
  .get('/balance', get(balance))
  .all('/balance', onlyMethods('GET'))
  .get('/statement', get(statement))
  .all('/statement', onlyMethods('GET'))
  .post('/transaction', (c) => move(c.env, c.req.raw, transact))
  .all('/transaction', onlyMethods('POST'))
  .post('/rollback', (c) => move(c.env, c.req.raw, rollBack))
  .all('/rollback', onlyMethods('POST'))
  .get('/permissions', get(readPermissions))
  .all('/permissions', onlyMethods('GET'))
  .post('/permission', postByAction({ grant, revoke }))
  .all('/permission', onlyMethods('POST'))

/** Answers with a player's chips. */
async function balance({ env, request, input }: ApiCall<unknown>): Promise<object> {
  const caller = await signInToRead(env, request)
  if (isRefusal(caller)) return caller
  const read = validate(BalanceQuery, input)
  if (isRefusal(read)) return read
  const { playerId, currency } = read.value
  const chips = await retried(async () => ledger(env, playerId).balance(currency))
  return answerText(balanceBody(currency, chips))
}

/** Answers with a page of the partner's entries in a player's journal. */
async function statement({ env, request, input }: ApiCall<unknown>): Promise<object> {
  const caller = await signInToRead(env, request)
  if (isRefusal(caller)) return caller
  const read = validate(StatementQuery, input)
  if (isRefusal(read)) return read
  const { playerId, currency, from, to, cursor, limit } = read.value
  const page = await retried(async () =>
    ledger(env, playerId).statement({
      partner: caller.partner.id,
      token: currency,
      from: from ?? 0,
      to: to ?? Number.MAX_SAFE_INTEGER,
      cursor: cursor ?? 0,
      limit: limit ?? PAGE,
    }),
  )
  return isRefusal(page) ? page : answerText(statementBody(page))
}

interface Caller {
  partner: PartnerConfig
  use: TokenUse
}

/** A call's movement, and the receipt for it. */
interface Moved {
  transferred: TransferResult
  receipt: string | null
}

type Move = (env: Env, caller: Caller, body: JsonObject) => Promise<Moved | Refusal>

/** The bodies of the bridge are fixed, so a receipt stands in a header. */
const RECEIPT = 'fairhouse-receipt'

/** Handles a call that moves money. */
async function move(env: Env, request: Request, carryOut: Move): Promise<Response> {
  const caller = await signIn(env, request)
  if (isRefusal(caller)) return answerRefusal(caller)
  const { partner, claims } = caller
  const signed = await readSignedJson(request)
  if (isRefusal(signed)) return answerRefusal(signed)
  const { read, bytes } = signed
  // The sender decides how long its body takes, and the use of an expired token is forgotten.
  const expired = checkTimes(claims, Date.now() / 1000)
  const use = expired ?? tokenUse(partner, claims, request, bytes)
  if (isRefusal(read)) {
    const replayed = isRefusal(use) ? null : await recordUse(env, partner, use)
    return answerRefusal(replayed ?? read)
  }
  if (isRefusal(use)) return answerRefusal(use)
  const result = await carryOut(env, { partner, use }, read.body)
  if (isRefusal(result)) return answerRefusal(result)
  const { transferred, receipt } = result
  const headers = receipt === null ? {} : { [RECEIPT]: receipt }
  return answerText(transferBody(transferred), 200, headers)
}

async function transact(
  env: Env,
  { partner, use }: Caller,
  body: JsonObject,
): Promise<Moved | Refusal> {
  const parsed = refuseNearMisses(TRANSACTION_NAMES, body) ?? validate(TransactionBody, body)
  if (isRefusal(parsed)) return (await recordUse(env, partner, use)) ?? parsed
  const { playerId: wallet, currency: token, amountWei, partnerTransactionId: id } = parsed.value
  const request = transactionText({ token, amountWei })
  const modes = await claimIds(env, partner, use, {
    id,
    kind: 'transaction',
    wallet,
    token,
    request,
  })
  if (isRefusal(modes)) return modes
  const rules = await rulesNow(env, partner, token, modes)
  const transaction = { ...rules, partner: partner.id, id, token, amountWei }
  const transferred = await retried(async () => ledger(env, wallet).transact(transaction))
  if (isRefusal(transferred)) return transferred
  return { transferred, receipt: await receiptFor(env, partner, wallet, transferred, null) }
}

/** Returns the rules for a partner's movements now. */
async function rulesNow(env: Env, partner: PartnerConfig, token: Token, modes: KnownModes) {
  const { hash: terms } = await namedTerms(env, configNow(env, modes.changes))
  const limits = { ...partner.limits[token], newPlayers: partner.newPlayersPerDay }
  return { limits, debits: partner.debits[token], terms, modes }
}

/**
 * Returns the receipt for a movement.
 * @param originalTransactionId the transaction that a rollback undid; null for a transaction
 */
async function receiptFor(
  env: Env,
  { id: partner }: PartnerConfig,
  wallet: string,
  transferred: WithEntry<TransferResult, TakenRef>,
  originalTransactionId: string | null,
): Promise<string | null> {
  const { id: partnerTransactionId, token: currency, beforeWei, afterWei: balanceWei } = transferred
  const amountWei = (BigInt(balanceWei) - BigInt(beforeWei)).toString()
  const moved = { partner, partnerTransactionId, currency, amountWei, balanceWei }
  // The partner may not see the total debt to the player.
  const { owed: _, ...entry } = transferred.entry
  return receiptOf(
    env,
    wallet,
    entry,
    originalTransactionId === null
      ? { kind: 'transaction', ...moved }
      : { kind: 'rollback', originalTransactionId, ...moved },
  )
}

async function rollBack(
  env: Env,
  { partner, use }: Caller,
  body: JsonObject,
): Promise<Moved | Refusal> {
  const parsed = refuseNearMisses(ROLLBACK_NAMES, body) ?? validate(RollbackBody, body)
  if (isRefusal(parsed)) return (await recordUse(env, partner, use)) ?? parsed
  const { playerId: wallet, currency: token } = parsed.value
  const { partnerTransactionId: id, originalTransactionId: originalId } = parsed.value
  // Before the claim, so that an unused id stays free.
  if (id === originalId) return (await recordUse(env, partner, use)) ?? ROLLBACK_OF_ITSELF
  const request = rollbackText({ token, originalId })
  const claim: IdClaim = { id, kind: 'rollback', wallet, token, request }
  const modes = await claimIds(env, partner, use, claim)
  if (isRefusal(modes)) return modes
  // Bury an original that hasn't arrived yet, so that it can't be carried out later.
  const original = await retried(async () =>
    partnerIds(env, partner.id, originalId).original(originalId),
  )
  const refused = checkOriginal(original, claim)
  if (refused) return refused
  const rules = await rulesNow(env, partner, token, modes)
  const rollback = { ...rules, partner: partner.id, id, token, originalId }
  const transferred = await retried(async () => ledger(env, wallet).rollback(rollback))
  if (isRefusal(transferred)) return transferred
  return { transferred, receipt: await receiptFor(env, partner, wallet, transferred, originalId) }
}

const ROLLBACK_OF_ITSELF = refuse(
  'idempotency_conflict',
  'A rollback needs an id of its own, different from originalTransactionId. Nothing was rolled back.',
)

/** Verifies the token, and counts the call against its partner or, without a valid token, the client. */
async function signIn(
  env: Env,
  request: Request,
): Promise<{ partner: PartnerConfig; claims: PartnerClaims } | Refusal> {
  const { partners } = loadConfig(env)
  if (partners.size === 0) {
    return refuse(
      'not_configured',
      'The wallet bridge has no partners configured on this site. Contact the operator.',
    )
  }
  const authorization = request.headers.get('authorization')
  const caller = await verifyPartnerToken(partners, authorization, Date.now())
  if (isRefusal(caller)) return (await checkRateLimit(env.READS, clientAddress(request))) ?? caller
  return (await checkRateLimit(env.BRIDGE_CALLS, caller.partner.id)) ?? caller
}

/** Signs a partner in to read. If the token has a jti, reading is its single use. */
async function signInToRead(env: Env, request: Request): ReturnType<typeof signIn> {
  const caller = await signIn(env, request)
  if (isRefusal(caller)) return caller
  const { partner, claims } = caller
  const body = new Uint8Array()
  if (claims.bodyHash !== undefined && claims.bodyHash !== sha256Hex(body)) return INVALID
  if (claims.jti === undefined) return caller
  const use = useOf(request, body, { jti: claims.jti, exp: claims.exp })
  const refusal = await retried(async () => partnerIds(env, partner.id, use.jti).claim(use, null))
  return refusal ?? caller
}

/** Returns a token's use, or refuses a token that isn't sufficient to move money. */
function tokenUse(
  { requireBodyHash }: PartnerConfig,
  { jti, exp, bodyHash }: PartnerClaims,
  request: Request,
  bytes: Uint8Array,
): TokenUse | Refusal {
  const bodyFits = bodyHash === undefined ? !requireBodyHash : bodyHash === sha256Hex(bytes)
  if (jti === undefined || !bodyFits) return INVALID
  return useOf(request, bytes, { jti, exp })
}

function useOf(
  request: Request,
  bytes: Uint8Array,
  { jti, exp }: { jti: string; exp: number },
): TokenUse {
  const { pathname } = new URL(request.url)
  const call = utf8(`${request.method} ${pathname}\n`)
  return { jti, callHash: sha256Hex(concatBytes(call, bytes)), expiresAt: Math.ceil(exp * 1000) }
}

/**
 * Claims the token's use and the id, each in the object that owns it, in one call if that is the same. A closed wallet
 * leaves the id free.
 * @returns the modes under which the wallet is open
 */
async function claimIds(
  env: Env,
  partner: PartnerConfig,
  use: TokenUse,
  claim: IdClaim,
): Promise<KnownModes | Refusal> {
  const modes = await currentModes(env)
  const closed = checkWallet(modes, claim.wallet, Date.now())
  if (closed) return (await recordUse(env, partner, use)) ?? closed
  const claimWith = (used: TokenUse | null) =>
    retried(async () => partnerIds(env, partner.id, claim.id).claim(used, claim))
  const refusal =
    shardOf(use.jti) === shardOf(claim.id)
      ? await claimWith(use)
      : ((await recordUse(env, partner, use)) ?? (await claimWith(null)))
  return refusal ?? modes
}

/**
 * Records a token's use. Also for a call that is refused for its fields or a closed wallet, so that nobody can use the
 * token for another one.
 */
function recordUse(env: Env, { id }: PartnerConfig, use: TokenUse): Promise<Refusal | null> {
  return retried(async () => partnerIds(env, id, use.jti).claim(use, null))
}
