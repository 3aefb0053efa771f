import type { Cast, Wallet } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/entropy'
const STAKE = { token: 'USDG', amountWei: '1000000' }

/** Every game with its variants. The index is the play's nonce. */
const PLAYS: [game: string, params: object, more?: object][] = [
  ['mines', { mines: 3, pick: [0, 7, 12] }],
  ['mines', { mines: 5, pick: 4 }, { clientSeed: 'my own luck' }],
  ['limbo', { target: 2 }],
  ['limbo', { target: 1.01 }, { token: 'ETH', amountWei: '50000000000000' }],
  ['plinko', { risk: 'low' }],
  ['plinko', { risk: 'high', rows: 8 }],
  ['keno', { picks: [1, 2, 3, 40] }],
  ['keno', { picks: [5], risk: 'high' }],
]

const WRONG_PLAYS: [what: string, fields: object][] = [
  ['an unknown game', { game: 'roulette', params: {} }],
  ['no game', { game: undefined }],
  ['no parameters', { params: undefined }],
  ['too many mines', { game: 'mines', params: { mines: 25, pick: [0] } }],
  ['a tile twice', { game: 'mines', params: { mines: 3, pick: [1, 1] } }],
  ['mines and picks beyond the board', { game: 'mines', params: { mines: 20, pick: 10 } }],
  ['a target of one', { game: 'limbo', params: { target: 1 } }],
  ['an unknown risk', { game: 'plinko', params: { risk: 'none' } }],
  ['too few rows', { game: 'plinko', params: { risk: 'low', rows: 3 } }],
  ['a number beyond the card', { game: 'keno', params: { picks: [41] } }],
  ['a client seed in other letters', { clientSeed: 'Glück' }],
  ['a nonce below zero', { nonce: -1 }],
  ['a stake below the minimum', { amountWei: '1' }],
  ['a stake above the maximum', { amountWei: '500000001' }],
  ['a payout above the limit', { amountWei: '500000000', params: { target: 1_000_000 } }],
]

/** Plays of every game, repeated and refused, and their disclosure. */
export async function entropy({ recorder, players, stranger }: Cast): Promise<void> {
  const player = players[2]
  if (!player) return
  const poor = await stranger('without a play')
  const { address: wallet } = player
  await recorder.ask('the terms', get(PATH))
  await recorder.ask('the terms of a wallet without a play', get(PATH, { wallet: poor.address }))
  await recorder.ask('the terms of a malformed wallet', get(PATH, { wallet: 'me' }))
  const forged = { wallet, authSig: poor.authSig }
  await recorder.ask("the terms with another's signature", get(PATH, forged))
  await recorder.ask('an unknown action to read', get(PATH, { action: 'peek' }))
  await recorder.ask('the first commitment', get(PATH, player.credentials))
  await recorder.ask('the first commitment, without a signature', get(PATH, { wallet }))

  for (const [nonce, [game, params, more]] of PLAYS.entries()) {
    const fields = { game, params, nonce, ...more }
    await recorder.ask(`play ${nonce} of ${game}`, play(player, fields))
    await recorder.ask(`play ${nonce} of ${game}, again`, play(player, fields))
    const asked = { action: 'play', wallet, nonce: String(nonce) }
    await recorder.ask(`play ${nonce} of ${game}, read`, get(PATH, asked))
  }
  await recorder.ask(
    'a play without a nonce',
    play(player, { game: 'limbo', params: { target: 3 } }),
  )
  await recorder.ask('the next commitment', get(PATH, player.credentials))

  const limbo = { game: 'limbo', params: { target: 2 } }
  await recorder.ask('a nonce for another play', play(player, { ...limbo, nonce: 0 }))
  await recorder.ask('a later nonce', play(player, { ...limbo, nonce: 99 }))
  await recorder.ask('a play without chips', play(poor, limbo))
  await recorder.ask(
    'a play without a signature',
    post(PATH, { action: 'play', ...limbo, ...STAKE }),
  )
  for (const [what, fields] of WRONG_PLAYS) {
    await recorder.ask(what, play(player, { ...limbo, ...fields }))
  }

  const recent = (fields: object) => post(PATH, { action: 'recent', ...fields })
  const isComplete = (body: { recent: unknown[] }) => body.recent.length === PLAYS.length + 1
  await recorder.until('the newest plays of a wallet', recent({ wallet }), isComplete)
  await recorder.ask('the newest plays', recent({}))
  await recorder.ask('the newest plays of a game', recent({ game: 'keno', limit: 1 }))
  await recorder.ask('the newest plays of an unknown game', recent({ game: 'roulette' }))
  await recorder.ask('too many of the newest plays', recent({ limit: 101 }))
  const read = (query: Record<string, string>) => get(PATH, { action: 'play', ...query })
  await recorder.ask('an unknown play', read({ wallet, nonce: '99' }))
  await recorder.ask('a play with a malformed nonce', read({ wallet, nonce: 'first' }))
}

function play(player: Wallet, fields: object) {
  return post(PATH, { action: 'play', ...player.credentials, ...STAKE, ...fields })
}
