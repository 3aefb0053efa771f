import { dateOf } from '../core/utc-day.ts'
import { crashPointOf } from '../crash/crash-point.ts'
import { manifestName, publicPath } from '../exports/manifest.ts'
import { beaconPublishedAt, beaconRandomness } from '../fairness/drand.ts'
import { commitmentOf } from '../fairness/seed.ts'
import { toMultiplier } from '../money/multiplier.ts'

/** Data for the examples. Seeds and the results that follow from them are real, and can be verified. */

export const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const OTHER_WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const AUTH_SIG = `0x${'5e'.repeat(64)}1b`
/** The credentials of every call with caller `wallet`. */
export const SIGNED = { wallet: WALLET, authSig: AUTH_SIG }
export const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const OTHER_CONTRACT = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
export const LOG_KEY = 'localhost:8787/log+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
export const TX_HASH = `0x${'9a'.repeat(32)}`
export const BLOCK_HASH = `0x${'b1'.repeat(32)}`

export const SEED = 'c0ffee'.repeat(10) + 'c0ff'
export const SEED_HASH = commitmentOf(SEED)
export const NEXT_SEED_HASH = commitmentOf('beef'.repeat(16))
/** A round of drand quicknet: https://api.drand.sh. */
export const PEPPER_SOURCE = { kind: 'drand-quicknet', round: 27_798_178 } as const
export const PEPPER_SIGNATURE =
  'b18fa6dc92304844fc4e868d708953e6b628b3f88d4381249d32264df1bfe5bc20aa0905e57fe54063010881767fd56d'
export const PEPPER = beaconRandomness(PEPPER_SIGNATURE)
/** When bets closed in the beacon's round, and when the free spin was taken. */
export const BEACON_AWAITED_AT = beaconPublishedAt(PEPPER_SOURCE.round) - 2_000
export const NOW = BEACON_AWAITED_AT + 15_000
export const DAY = dateOf(NOW)

export const ROUND_ID = 1041
export const EDGE_BPS = 100
export const CRASH = toMultiplier(
  crashPointOf({ roundId: ROUND_ID, seed: SEED, pepper: PEPPER, edgeBps: EDGE_BPS }),
)

/** 2.50 USDG. */
export const STAKE = '2500000'
export const ME = {
  chips: { ETH: '0', USDG: '97500000' },
  quarantine: { ETH: '0', USDG: '0' },
  openBet: null,
  nonce: 0,
}

/** The terms of play of the examples. */
export const TERMS = {
  hash: commitmentOf('7e'.repeat(32)),
  autoplay: true,
  funChips: true,
  minPlayMs: 0,
}

/** The example key of RFC 7515, appendix A.3. */
export const RECEIPT_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  alg: 'ES256',
  use: 'sig',
  kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  nbf: Math.floor(NOW / 1_000),
}

export const EXPORTED_DAY = {
  day: DAY,
  manifest: publicPath(manifestName(DAY)),
  sha256: SEED_HASH,
}
