import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { utf8 } from '../../core/utf8.ts'
import { capital } from '../../core/words.ts'
import type { Check, Step } from '../../fairness/check.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import { specOf, type GameName } from '../../games/games.ts'
import type { FeedPlay } from '../../games/play-request.ts'
import type { SettledPlay } from '../../games/play.ts'
import { FUN, type Unit } from '../../money/token.ts'
import { isPlayedElsewhere, verifyPlay, type SeenPlay } from '../../verify/play.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { FUN_WALLET } from '../fun/fun.ts'
import { seenOf } from '../games/evidence.ts'
import { sayChoice } from '../games/words.ts'
import type { Proof } from './proof.ts'

/** Verifies a wallet's play on this machine, however old it is. */
export async function provePlay(wallet: string, nonce: string): Promise<Proof | Failure> {
  const play = await get<FeedPlay<Unit>>('/api/entropy', {
    action: 'play',
    wallet,
    nonce,
  })
  if (!isFailure(play)) return proofOfPlay(play, wallet, nonce)
  const wasSent = seenOf(wallet, Number(nonce)) !== null
  return wasSent && play.error.code === 'not_found' ? fail('not_found', NOT_SETTLED) : play
}

/** Verifies on this machine that an answer is a wallet's play with this number, and everything that it claims. */
export function proofOfPlay(play: FeedPlay<Unit>, wallet: string, nonce: string): Proof {
  try {
    return computedProof(play, wallet, nonce)
  } catch {
    const checks = [{ claim: 'this page can compute it', holds: false }]
    return { title: `Play ${nonce}`, steps: [], checks, note: NOT_COMPUTED }
  }
}

/** @throws for an answer that no play has, or for pay tables that this page doesn't know */
function computedProof(play: FeedPlay<Unit>, wallet: string, nonce: string): Proof {
  const { game } = play
  // The house chooses the contents of its answer, so the answer must not choose the evidence.
  const seen = seenOf(wallet, Number(nonce))
  const note = wallet === FUN_WALLET ? FOR_FUN : noteOn(play, seen)
  return {
    title: `${capital(game)}, play ${nonce}`,
    steps: playSteps(play),
    checks: [checkIsOf(play, wallet, Number(nonce)), ...verifyPlay(play, seen ?? {})],
    ...(note !== null && { note }),
  }
}

/** Returns the gaps in this browser's evidence; null if it covers everything. */
function noteOn(play: FeedPlay<Unit>, seen: SeenPlay | null): string | null {
  if (!seen?.seedHash) return NOT_SEEN
  return isPlayedElsewhere(play, seen) ? PLAYED_ELSEWHERE : null
}

function checkIsOf(play: FeedPlay<Unit>, wallet: string, nonce: number): Check {
  const isOwn = play.wallet.toLowerCase() === wallet.toLowerCase()
  const claim =
    wallet === FUN_WALLET ? `it is fun play ${nonce}` : `it is play ${nonce} of ${wallet}`
  return { claim, holds: isOwn && play.nonce === nonce }
}

/** Returns the steps from a play's seeds to its payout. */
export function playSteps(play: SettledPlay<GameName, Unit>): Step[] {
  const { nonce, seed, clientSeed, multiplier, payout } = play
  return [
    { name: 'What you chose', value: sayChoice(play) },
    {
      name: `${play.token === FUN ? 'This browser’s' : 'The house’s'} seed, revealed after the play`,
      value: seed,
    },
    { name: 'SHA-256 of the seed’s bytes', value: commitmentOf(seed) },
    { name: 'Your client seed', value: clientSeed },
    {
      name: `HMAC-SHA256 of “${clientSeed}:${nonce}:0”, keyed with the seed’s text`,
      value: firstBlock(play),
    },
    ...proofOf(play),
    { name: 'Multiplier and payout, in smallest units', value: `${multiplier}x, ${payout}` },
  ]
}

function firstBlock({ seed, clientSeed, nonce }: SettledPlay<GameName, Unit>): string {
  return bytesToHex(hmac(sha256, utf8(seed), utf8(`${clientSeed}:${nonce}:0`)))
}

function proofOf<G extends GameName>(play: SettledPlay<G, Unit>): Step[] {
  return specOf(play.game).proof(play)
}

const NOT_SETTLED =
  'There is no settled play with this number. An open game of mines can be verified once it has ended. If you ' +
  'have a receipt for a play that is missing, keep it as evidence.'

const NOT_COMPUTED =
  'This page may be older than the play: reload it, and try again in a few minutes. If that changes nothing, save this page as evidence.'

const FOR_FUN =
  'This was a fun play: nothing was at stake. Your own browser drew the seed, fixed it by its hash before you played, and ' +
  'revealed it afterwards. With a wallet, the house draws the seed, and the same checks prove that it kept to it.'

const NOT_SEEN =
  'The maths is right. Only the browser that placed this bet can also confirm the seed hash shown beforehand.'

const PLAYED_ELSEWHERE =
  'Another device or tab played this number. The house refused what this browser sent for it, so this browser can only ' +
  'confirm the seed hash. If you played nowhere else, save this page as evidence.'
