import { z } from 'zod'
import { KeysAnswer } from '../../api/receipts/answers-schema.ts'
import { LOGGED_WITHIN_MS } from '../../audit/in-terms.ts'
import { SECOND_MS } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import { verifyFromBeacon } from '../../fairness/pepper.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { thumbprintOf } from '../../receipts/jws.ts'
import type { PublishedKey } from '../../receipts/key.ts'
import type { LoggedEntry } from '../../transparency/entry.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import { isNamedByThumbprint } from '../../verify/logged-keys.ts'
import { verifyAsLogged } from '../../verify/logged-round.ts'
import { verifyPlanned, verifyPlayTerms, verifyRoundTerms } from '../../verify/receipt-in-log.ts'
import type { SignedReceipt } from '../../verify/receipt-signature.ts'
import {
  claimedCashoutOf,
  gameEndOf,
  verifyBetReceipt,
  verifyCashoutReceipt,
  verifyGameReceipt,
  verifyPlayReceipt,
  type GameEnd,
} from '../../verify/receipt.ts'
import { Client } from '../shared/client.ts'
import { needsBeacon } from '../shared/local-site.ts'
import { readJsonFile } from './json-file.ts'
import { entryOf, loggedRound, NotLogged } from './logged-round.ts'
import {
  datedAhead,
  disclosedBy,
  isUnreached,
  withoutDisclosure,
  type SiteDisclosure,
} from './missing.ts'
import { readPlay } from './plays.ts'
import { readAs } from './read.ts'
import { SiteLog } from './site-log.ts'
import { loadWholeRound } from './whole-round.ts'

type ReceiptOf<K extends Receipt['kind']> = Extract<Receipt, { kind: K }>

/** The findings on a receipt so far. */
interface ReceiptFindings {
  checks: Check[]
  /** Of its round, as logged, in unix milliseconds; null if not known. */
  betsCloseAt: number | null
  claimedCashout: number | null
  isVoided: boolean
  gameEnd: GameEnd | null
  /** Why the checks prove nothing yet, such as a public log that lacks it; null if they do. */
  unproven: string | null
}

/** Keys from elsewhere, to use instead of those that the sites show. */
export interface PinnedKeys {
  /** The path of a saved JWK set with the keys of receipts. */
  file: string | null
  /** The key of the public log. */
  logKey: VerifierKey | null
}

/** The keys and disclosures of the sites that receipts name. Each is loaded once. */
export class ReceiptEvidence {
  readonly #pinned: PinnedKeys
  /** The sites that say they keep no log. */
  readonly withoutLog = new Set<string>()
  readonly #loaded = new Map<string, Promise<unknown>>()

  constructor(pinned: PinnedKeys) {
    this.#pinned = pinned
  }

  /**
   * Returns the keys of a site that may have signed a receipt. One that the site withdrew is still in the public log.
   * @throws CommandError if the keys can't be read
   */
  async keys(iss: string, kid: string): Promise<PublishedKey[]> {
    const { file } = this.#pinned
    const keys = await this.#published(iss)
    if (file !== null || keys.some((key) => isNamed(key, kid))) return keys
    const log = await this.#siteLog(iss).catch(() => null)
    const logged = await log?.find('key', kid).catch(() => null)
    const key = LoggedKey.safeParse(logged?.entry)
    return key.success ? [...keys, key.data.key] : keys
  }

  /** Checks a receipt against its site's disclosures, and against the public log that everybody sees. */
  async checks(signed: SignedReceipt): Promise<SiteDisclosure> {
    const { receipt } = signed
    const found: ReceiptFindings = {
      checks: [],
      betsCloseAt: null,
      claimedCashout: null,
      isVoided: false,
      gameEnd: null,
      unproven: datedAhead(receipt, Date.now()),
    }
    try {
      await this.#checkKey(signed, found)
      if (receipt.kind === 'withdrawal') return notPublic(OF_A_WITHDRAWAL, found)
      if (receipt.kind === 'transaction' || receipt.kind === 'rollback')
        return notPublic(OF_A_TRANSACTION, found)
      if (receipt.kind === 'play') await this.#checkPlay(receipt, found)
      else if (receipt.kind === 'mines-open' || receipt.kind === 'mines-pick')
        await this.#checkGame(receipt, found)
      else await this.#checkRound(receipt, found)
      const { unproven, ...known } = found
      return { ...known, waiting: unproven, isUnreached: unproven !== null }
    } catch (fault) {
      return withoutDisclosure(fault, receipt, { ...found, now: Date.now() })
    }
  }

  /**
   * Returns how many plays of a receipt's wallet its site counts; null if it doesn't say.
   * @throws CommandError if it could not be reached
   */
  async countOfPlays({ iss, sub: wallet }: Receipt): Promise<number | null> {
    const asked = new Client(iss).get<unknown>('/api/entropy', { wallet })
    const answer = await asked.catch((fault: unknown) => {
      if (isUnreached(fault)) throw fault
      return null
    })
    const counted = Counted.safeParse(answer)
    return counted.success ? counted.data.fairness.nonce : null
  }

  #published(iss: string): Promise<PublishedKey[]> {
    const { file } = this.#pinned
    return this.#once(`keys ${iss}`, () => (file === null ? loadKeys(iss) : readKeys(file)))
  }

  /** Checks that everybody is shown the key: a receipt by a key that nobody else knows would prove nothing to them. */
  async #checkKey({ receipt, kid }: SignedReceipt, found: ReceiptFindings): Promise<void> {
    const { iss, iat } = receipt
    if (this.#pinned.file === null) {
      const isPublished = (await this.#published(iss)).some((key) => isNamed(key, kid))
      found.checks.push({ claim: `${iss} publishes the key that signed it`, holds: isPublished })
    }
    const log = await this.#log(receipt, found)
    if (!log) return
    const logged = await log.find('key', kid)
    // The key may be announced a little later than it signs.
    if (!logged && Date.now() < iat * SECOND_MS + LOGGED_WITHIN_MS) {
      found.unproven = 'The public log does not have the key that signed it yet.'
      return
    }
    const isLogged = logged !== null && isNamedByThumbprint(logged.entry)
    found.checks.push({ claim: 'the public log has the key that signed it', holds: isLogged })
  }

  async #checkPlay(receipt: ReceiptOf<'play'>, found: ReceiptFindings): Promise<void> {
    const { checks } = found
    const play = await this.#play(receipt, receipt.nonce)
    checks.push(...verifyPlayReceipt(receipt, play))
    const terms = await this.#termsOf(receipt, found)
    if (terms) checks.push(...verifyPlayTerms(play, terms.entry))
  }

  async #checkGame(
    receipt: ReceiptOf<'mines-open' | 'mines-pick'>,
    found: ReceiptFindings,
  ): Promise<void> {
    const { checks } = found
    const play = await this.#play(receipt, receipt.game.nonce)
    found.gameEnd = gameEndOf(play)
    checks.push(...verifyGameReceipt(receipt, play))
    const terms = await this.#termsOf(receipt, found)
    if (terms) checks.push(...verifyPlayTerms(play, terms.entry))
  }

  async #checkRound(receipt: ReceiptOf<'bet' | 'cashout'>, found: ReceiptFindings): Promise<void> {
    const { checks } = found
    const id = String(receipt.roundId)
    const log = await this.#log(receipt, found)
    const plan = log && (await inTime(entryOf(log, 'plan', id), receipt.iat * SECOND_MS, found))
    if (plan) {
      found.betsCloseAt = Number(plan.entry['betsCloseAt'])
      checks.push(...verifyPlanned(receipt, plan.entry))
      const terms = receipt.kind === 'bet' ? await this.#termsOf(receipt, found) : null
      if (terms) checks.push(...verifyRoundTerms(plan, terms))
    }
    const round = await this.#round(receipt)
    if (needsBeacon(receipt.iss)) checks.push(verifyFromBeacon(round.pepperSource))
    if (receipt.kind === 'bet') {
      found.claimedCashout = claimedCashoutOf(receipt, round)
      found.isVoided = round.crash === null
    }
    checks.push(
      ...(receipt.kind === 'bet'
        ? verifyBetReceipt(receipt, round)
        : verifyCashoutReceipt(receipt, round)),
    )
    if (!log || !plan) return
    // The house says when the round ended, so a later end must not extend the wait.
    const endedAt = Math.min(round.endedAt, disclosedBy(receipt, found.betsCloseAt))
    const logged = await inTime(loggedRound(log, plan), endedAt, found)
    if (logged) checks.push(...verifyAsLogged(logged, round))
  }

  /** Returns the log's entry of a receipt's terms; null if there is no log, or it may not have them yet. */
  async #termsOf(receipt: Receipt, found: ReceiptFindings): Promise<LoggedEntry | null> {
    const log = await this.#log(receipt, found)
    const reading = log && entryOf(log, 'terms', receipt.terms)
    return reading && inTime(reading, receipt.iat * SECOND_MS, found)
  }

  /** Opens the log of the site; null if it keeps none, or began it after the receipt was signed. */
  async #log({ iss, iat }: Receipt, found: ReceiptFindings): Promise<SiteLog | null> {
    const log = await this.#siteLog(iss)
    if (!log) this.withoutLog.add(iss)
    const predecessor =
      log && (await this.#once(`predecessor ${iss}`, () => log.predecessor(Date.now())))
    if (!predecessor || iat * SECOND_MS >= predecessor.at) return log
    found.unproven = `It was not compared with a public log: ${log?.key.name} began later, and succeeds ${predecessor.name}. Ask the house what is left of that log.`
    return null
  }

  #siteLog(iss: string): Promise<SiteLog | null> {
    return this.#once(`log ${iss}`, () => SiteLog.open(new URL(iss), this.#pinned.logKey))
  }

  #round({ iss, roundId }: Receipt & { roundId: number }) {
    return this.#once(`round ${roundId} ${iss}`, () => loadWholeRound(new Client(iss), roundId))
  }

  async #play({ iss, sub }: Receipt, nonce: number) {
    const query = { action: 'play', wallet: sub, nonce: String(nonce) }
    const answer = await new Client(iss).get<unknown>('/api/entropy', query)
    const settled = readAs(Settled, answer, `${iss} did not answer with a play`)
    return { ...readPlay(answer, iss), ...settled }
  }

  #once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.#loaded.get(name) ?? load()
    this.#loaded.set(name, known)
    return known as Promise<T>
  }
}

/**
 * Returns the entries read from the log; null while the log may still get it, which proves nothing.
 * @param dueAt when an honest log has it, in unix milliseconds. It may be down for a while.
 * @throws NotLogged if the log lacks it an hour later
 */
async function inTime<Entries>(
  reading: Promise<Entries>,
  dueAt: number,
  found: ReceiptFindings,
): Promise<Entries | null> {
  try {
    return await reading
  } catch (fault) {
    if (!(fault instanceof NotLogged) || Date.now() >= dueAt + LOGGED_WITHIN_MS) throw fault
    found.unproven = `Not yet: ${fault.message}.`
    return null
  }
}

function notPublic(why: string, { checks, unproven }: ReceiptFindings): SiteDisclosure {
  const waiting = unproven ?? why
  return { checks, claimedCashout: null, waiting, isUnreached: unproven !== null }
}

/** Returns whether a key has a thumbprint. It is computed, so that no other key can take its name. */
function isNamed(key: PublishedKey, kid: string): boolean {
  return thumbprintOf(key) === kid
}

/** The log's entry of a key. */
const LoggedKey = z.object({ key: KeysAnswer.shape.keys.element })

/** The nonce of the next play is the number of plays before it. */
const Counted = z.object({ fairness: z.object({ nonce: z.int().min(0) }) })

const Settled = z.object({ nextSeedHash: z.string(), settledAt: z.int().min(0) })

/** Loads the keys of receipts that a site publishes. */
export async function loadKeys(iss: string): Promise<PublishedKey[]> {
  const client = new Client(iss)
  return keysIn(await client.get('/.well-known/jwks.json'), client.baseUrl.origin)
}

async function readKeys(path: string): Promise<PublishedKey[]> {
  return keysIn(await readJsonFile(path, 'of /.well-known/jwks.json'), path)
}

function keysIn(value: unknown, source: string): PublishedKey[] {
  return readAs(KeysAnswer, value, `${source} has no set of keys of receipts`).keys
}

const OF_A_WITHDRAWAL =
  'Not public: only the wallet can see what became of its withdrawal. Look for its payment by the vault on chain.'

const OF_A_TRANSACTION =
  'Not public: only the partner and the wallet can see the books. Compare the amounts with theirs.'
