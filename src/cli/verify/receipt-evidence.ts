import { z } from 'zod'
import { KeysAnswer } from '../../api/receipts/answers-schema.ts'
import type { Check } from '../../fairness/check.ts'
import type { Receipt } from '../../receipts/claims.ts'
import type { PublishedKey } from '../../receipts/key.ts'
import { verifyBetReceipt, verifyCashoutReceipt, verifyPlayReceipt } from '../../verify/receipt.ts'
import { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { readJsonFile } from './json-file.ts'
import { readPlay } from './plays.ts'
import { readAs } from './read.ts'
import { loadWholeRound } from './whole-round.ts'

/** What a receipt's site discloses about it: checks, or the reason why there are none. */
export type Disclosed = { checks: Check[] } | { waiting: string }

/** The keys and disclosures of the sites that receipts name. Each is loaded once. */
export class ReceiptEvidence {
  readonly #keysFile: string | undefined
  readonly #loaded = new Map<string, Promise<unknown>>()

  /** @param keysFile a saved JWK set, to use instead of the site's own */
  constructor(keysFile?: string) {
    this.#keysFile = keysFile
  }

  /** @throws CommandError if the keys can't be read */
  keys({ iss }: Receipt): Promise<PublishedKey[]> {
    const file = this.#keysFile
    return this.#once(`keys ${iss}`, () => (file === undefined ? loadKeys(iss) : readKeys(file)))
  }

  /** Checks a receipt against what its site discloses. */
  async checks(receipt: Receipt): Promise<Disclosed> {
    try {
      switch (receipt.kind) {
        case 'bet':
          return { checks: verifyBetReceipt(receipt, await this.#round(receipt)) }
        case 'cashout':
          return { checks: verifyCashoutReceipt(receipt, await this.#round(receipt)) }
        case 'play':
          return { checks: verifyPlayReceipt(receipt, await this.#play(receipt)) }
        case 'withdrawal':
          return { waiting: OF_A_WITHDRAWAL }
        case 'transaction':
          return { waiting: OF_A_TRANSACTION }
      }
    } catch (fault) {
      if (fault instanceof CommandError) return { waiting: `Not yet: ${fault.message}` }
      // A round that no honest house discloses can't be replayed.
      const why = fault instanceof Error ? fault.message : String(fault)
      return { checks: [{ claim: `the disclosure can be computed: ${why}`, holds: false }] }
    }
  }

  #round({ iss, roundId }: Receipt & { roundId: number }) {
    return this.#once(`round ${roundId} ${iss}`, () => loadWholeRound(new Client(iss), roundId))
  }

  async #play({ iss, sub, nonce }: Extract<Receipt, { kind: 'play' }>) {
    const query = { action: 'play', wallet: sub, nonce: String(nonce) }
    const answer = await new Client(iss).get<unknown>('/api/entropy', query)
    const { nextSeedHash } = readAs(Committed, answer, `${iss} did not answer with a play`)
    return { ...readPlay(answer, iss), nextSeedHash }
  }

  #once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.#loaded.get(name) ?? load()
    this.#loaded.set(name, known)
    return known as Promise<T>
  }
}

const Committed = z.object({ nextSeedHash: z.string() })

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
