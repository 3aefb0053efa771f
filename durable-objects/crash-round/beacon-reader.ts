import { fetchBeacon } from '../../src/calls/beacon.ts'
import { loadConfig } from '../../src/config/load.ts'

/** The beacon's relays are queried at most this often. */
const ASK_EVERY_MS = 1_000

/** Fetches rounds of the public beacon, at a limited rate. */
export class BeaconReader {
  readonly #env: Env
  #askedAt = -Infinity

  constructor(env: Env) {
    this.#env = env
  }

  /**
   * Returns the signature of a beacon round; null if no relay has it yet, or if the last query was less than a second
   * ago.
   */
  async fetch(beaconRound: number, now: number): Promise<string | null> {
    if (now < this.#askedAt + ASK_EVERY_MS) return null
    this.#askedAt = now
    return fetchBeacon(loadConfig(this.#env).drandRelays, beaconRound)
  }
}
