import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isOwnMachine } from '../../core/own-machine.ts'
import { isoTime } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import type { Receipt } from '../../receipts/claims.ts'
import type { PublishedKey } from '../../receipts/key.ts'
import { READER_CLOCK_SKEW_MS } from '../../verify/opening.ts'
import { verifySignature } from '../../verify/receipt-signature.ts'
import type { Client } from '../shared/client.ts'
import { PROJECT_DIR } from '../shared/manifest.ts'
import { readReceipt } from '../verify/receipt-claims.ts'
import { loadKeys } from '../verify/receipt-evidence.ts'

/** The facts that a player knows about a call, which its receipt must repeat. */
type KnownFactsOf = { [K in Receipt['kind']]: Partial<Extract<Receipt, { kind: K }>> & { kind: K } }
export type KnownFacts = KnownFactsOf[Receipt['kind']]

const NAMES: Record<Receipt['kind'], string> = {
  bet: 'bet',
  cashout: 'cash-out',
  play: 'play',
  'mines-open': 'game of mines',
  'mines-pick': 'pick',
  withdrawal: 'withdrawal',
  transaction: 'transaction',
  rollback: 'rollback',
}

const FOLDER = join(PROJECT_DIR, '.dev/receipts')

/** A wallet's receipts at a site: each is checked as it arrives, and saved. */
export class Receipts {
  readonly #wallet: string
  readonly #origin: URL
  readonly #keys: readonly PublishedKey[]
  readonly #folder: string
  /** The file with the receipts of this session, from the project's root; null before the first one. */
  savedIn: string | null = null

  constructor(
    wallet: string,
    { origin, keys, folder = FOLDER }: { origin: URL; keys: PublishedKey[]; folder?: string },
  ) {
    this.#wallet = wallet.toLowerCase()
    this.#origin = origin
    this.#keys = keys
    this.#folder = folder
  }

  static async of(wallet: string, { baseUrl }: Client): Promise<Receipts> {
    return new Receipts(wallet, { origin: baseUrl, keys: await loadKeys(baseUrl.href) })
  }

  /** Checks and saves the receipt of a call. A site without keys gives none, so there is nothing to check. */
  async check(text: string | undefined, known: KnownFacts): Promise<Check[]> {
    const what = `receipt of your ${NAMES[known.kind]}`
    if (text === undefined) {
      return this.#keys.length === 0 ? [] : [{ claim: `you got a ${what}`, holds: false }]
    }
    const signed = readReceipt(text)
    await this.#save(signed.kid, text)
    const failed = verifySignature(signed, this.#keys).find(({ holds }) => !holds)
    const wrong = failed ? `fails: ${failed.claim}` : this.#wrong(signed.receipt, known)
    return wrong === null
      ? [{ claim: `the ${what} is signed and says what you sent and saw`, holds: true }]
      : [{ claim: `the ${what} ${wrong}`, holds: false }]
  }

  /** Returns how a receipt contradicts the player's knowledge; null if it doesn't. */
  #wrong(receipt: Receipt, known: KnownFacts): string | null {
    const facts: Record<string, unknown> = { sub: this.#wallet, ...known }
    const claims: Record<string, unknown> = { ...receipt }
    const name = Object.keys(facts).find((each) => !isDeepStrictEqual(claims[each], facts[each]))
    if (name !== undefined) return `has another ${name}: ${JSON.stringify(claims[name])}`
    if (!isSameSite(new URL(receipt.iss), this.#origin)) return `is of ${receipt.iss}`
    const at = receipt.iat * 1_000
    const isAhead = at > Date.now() + READER_CLOCK_SKEW_MS
    return isAhead ? `is dated ${isoTime(at)}, later than your own clock` : null
  }

  /** A file has the receipts of one key. Local play makes a key at each start. */
  async #save(kid: string, text: string): Promise<void> {
    const path = join(this.#folder, `${kid.replaceAll(/[^\w-]/g, '')}.txt`)
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, `${text}\n`)
    this.savedIn = relative(PROJECT_DIR, path)
  }
}

/** A site on this machine has several names. */
function isSameSite(a: URL, b: URL): boolean {
  return a.origin === b.origin || (isOwnMachine(a.hostname) && isOwnMachine(b.hostname))
}
