import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { toMultiplier } from '../../money/multiplier.ts'
import { disclosedPlay, type ToldPlay } from '../../verify/disclosed.ts'
import { kenoTable } from '../../games/keno.ts'
import type { Meta } from '../../games/play.ts'
import { plinkoTable } from '../../games/plinko.ts'
import { RandomStream } from '../../games/stream.ts'
import { verifyPlay } from '../../verify/play.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import { get, isFailure, type Failure } from '../api.ts'
import { sayChoice } from '../games/words.ts'
import { kept } from '../keepsakes.ts'
import type { Proof, Step } from './proof.ts'

const FLOAT_STEPS = 2 ** 32

/** Verifies a wallet's play on this machine, however old it is. */
export async function provePlay(wallet: string, nonce: string): Promise<Proof | Failure> {
  const play = await get<ToldPlay & { wallet: string }>('/api/entropy', {
    action: 'play',
    wallet,
    nonce,
  })
  if (isFailure(play)) return play
  const { game, seed, clientSeed } = play
  const seen = kept('plays', `${play.wallet}/${nonce}`)
  return {
    title: `${game[0]?.toUpperCase()}${game.slice(1)}, play ${nonce}`,
    steps: [
      { name: 'What you chose', value: sayChoice(play.meta) },
      { name: 'The house’s seed, told after the play', value: seed },
      { name: 'SHA-256 of its bytes', value: commitmentOf(seed) },
      { name: 'Your client seed', value: clientSeed },
      { name: `HMAC-SHA256 of “${clientSeed}:${nonce}:0” under the seed`, value: firstBlock(play) },
      ...drawSteps(play),
    ],
    checks: verifyPlay(disclosedPlay(play), seen ?? {}),
    ...(!seen && { note: NOT_SEEN }),
  }
}

function firstBlock({ seed, clientSeed, nonce }: ToldPlay): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(seed), utf8ToBytes(`${clientSeed}:${nonce}:0`)))
}

/** How the outcome is drawn from the stream. */
function drawSteps(play: ToldPlay): Step[] {
  const { meta, multiplier, payout } = play
  const paid = {
    name: 'Multiplier, and payout in smallest units',
    value: `${multiplier}x, ${payout}`,
  }
  if ('result' in meta) {
    const r = new RandomStream(play).first52Bits()
    return [
      { name: 'Its first 52 bits, r', value: String(r) },
      {
        name: `max(1, ⌊(10000 − ${play.edgeBps}) · 2⁵² / (r + 1) / 100⌋ / 100)`,
        value: `${meta.result.toFixed(2)}x`,
      },
      paid,
    ]
  }
  return [
    { name: 'Floats, of four bytes each', value: floats(play, drawCount(meta)).join(', ') },
    { name: drawRule(meta), value: drawnText(meta) },
    ...tableSteps(play),
    paid,
  ]
}

/** The cell of the pay tables that the outcome leads to, in the version that paid the play. */
function tableSteps({ game, meta, tables }: ToldPlay): Step[] {
  const name = `What the pay tables, version ${tables}, pay for it`
  const value = (pays = 0) => `${toMultiplier(pays)}x`
  if (game === 'plinko' && 'path' in meta) {
    return [{ name, value: value(plinkoTable(meta, tables)[meta.bucket]) }]
  }
  if (game === 'keno' && 'draws' in meta) {
    return [{ name, value: value(kenoTable(meta, tables)[meta.hits]) }]
  }
  return []
}

function floats(play: ToldPlay, count: number): string[] {
  const stream = new RandomStream(play)
  return Array.from({ length: count }, () => (stream.next(FLOAT_STEPS) / FLOAT_STEPS).toFixed(4))
}

function drawCount(meta: Meta): number {
  if ('path' in meta) return meta.rows
  return 'draws' in meta ? meta.draws.length : 'mines' in meta ? meta.mines.length : 0
}

function drawRule(meta: Meta): string {
  if ('path' in meta) return 'Right from 0.5 up, else left'
  const of = 'draws' in meta ? '40 numbers' : '25 tiles'
  return `Each takes the one at ⌊float · those left⌋ away from ${of}`
}

function drawnText(meta: Meta): string {
  if ('path' in meta) return `${meta.path}, bucket ${meta.bucket}`
  return ('draws' in meta ? meta.draws : 'mines' in meta ? meta.mines : []).join(', ')
}

const NOT_SEEN =
  'The maths is right. Only the browser that placed this bet can also confirm the seed hash shown beforehand.'
