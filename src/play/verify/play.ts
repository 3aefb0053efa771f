import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { capital } from '../../core/words.ts'
import type { Step } from '../../fairness/check.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import { specOf, type GameName } from '../../games/games.ts'
import type { FeedPlay } from '../../games/placement.ts'
import type { SettledPlay } from '../../games/play.ts'
import { verifyPlay } from '../../verify/play.ts'
import { get, isFailure, type Failure } from '../api.ts'
import { sayChoice } from '../games/words.ts'
import { kept } from '../keepsakes.ts'
import type { Proof } from './proof.ts'

/** Verifies a wallet's play on this machine, however old it is. */
export async function provePlay(wallet: string, nonce: string): Promise<Proof | Failure> {
  const play = await get<FeedPlay>('/api/entropy', {
    action: 'play',
    wallet,
    nonce,
  })
  return isFailure(play) ? play : proofOfPlay(play)
}

/** Verifies a play on this machine. */
export function proofOfPlay(play: FeedPlay): Proof {
  const { game, nonce, seed, clientSeed, multiplier, payout } = play
  const seen = kept('plays', `${play.wallet}/${nonce}`)
  return {
    title: `${capital(game)}, play ${nonce}`,
    steps: [
      { name: 'What you chose', value: sayChoice(play) },
      { name: 'The house’s seed, revealed after the play', value: seed },
      { name: 'SHA-256 of the seed’s bytes', value: commitmentOf(seed) },
      { name: 'Your client seed', value: clientSeed },
      {
        name: `HMAC-SHA256 of “${clientSeed}:${nonce}:0”, keyed with the seed`,
        value: firstBlock(play),
      },
      ...proofOf(play),
      { name: 'Multiplier and payout, in smallest units', value: `${multiplier}x, ${payout}` },
    ],
    checks: verifyPlay(play, seen ?? {}),
    ...(!seen && { note: NOT_SEEN }),
  }
}

function firstBlock({ seed, clientSeed, nonce }: SettledPlay): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(seed), utf8ToBytes(`${clientSeed}:${nonce}:0`)))
}

function proofOf<G extends GameName>(play: SettledPlay<G>): Step[] {
  return specOf(play.game).proof(play)
}

const NOT_SEEN =
  'The maths is right. Only the browser that placed this bet can also confirm the seed hash shown beforehand.'
