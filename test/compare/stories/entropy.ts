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
  ['too many mines', { game: 'mines', params: { mines: 25, pick: [0] } }],
  ['a target of one', { game: 'limbo', params: { target: 1 } }],
  ['an unknown risk', { game: 'plinko', params: { risk: 'none' } }],
  ['a number beyond the card', { game: 'keno', params: { picks: [41] } }],
  ['a stake above the maximum', { amountWei: '500000001' }],
  ['a payout above the limit', { amountWei: '500000000', params: { target: 1_000_000 } }],
  ['a nonce for another play', { nonce: 0 }],
  ['a later nonce', { nonce: 99 }],
]

const play = (player: Wallet, fields: object) =>
  post(PATH, { action: 'play', ...player.credentials, ...STAKE, ...fields })
const playOf = (wallet: string, nonce: string) => get(PATH, { action: 'play', wallet, nonce })

/** Plays of every game, repeated and refused, and their disclosure. */
export async function entropy({ recorder, players, stranger }: Cast): Promise<void> {
  const player = players[2]
  const poor = await stranger('without a play')
  const { address: wallet } = player
  await recorder.askAll({
    'the terms': get(PATH),
    'the terms of a wallet without a play': get(PATH, { wallet: poor.address }),
    "the terms with another's signature": get(PATH, { ...poor.credentials, wallet }),
    'the first commitment': get(PATH, player.credentials),
  })
  for (const [nonce, [game, params, more]] of PLAYS.entries()) {
    const request = play(player, { game, params, nonce, ...more })
    await recorder.ask(`play ${nonce} of ${game}`, request)
    await recorder.ask(`play ${nonce} of ${game}, again`, request)
    await recorder.ask(`play ${nonce} of ${game}, read`, playOf(wallet, String(nonce)))
  }
  const limbo = { game: 'limbo', params: { target: 2 } }
  await recorder.askAll({
    'a play without a nonce': play(player, { game: 'limbo', params: { target: 3 } }),
    'the next commitment': get(PATH, player.credentials),
    'a play without chips': play(poor, limbo),
  })
  for (const [what, fields] of WRONG_PLAYS) {
    await recorder.ask(what, play(player, { ...limbo, ...fields }))
  }
  const recent = (fields: object) => post(PATH, { action: 'recent', ...fields })
  const isComplete = (body: { recent: unknown[] }) => body.recent.length === PLAYS.length + 1
  await recorder.until('the newest plays of a wallet', recent({ wallet }), isComplete)
  await recorder.askAll({
    'the newest plays of a game': recent({ game: 'keno', limit: 1 }),
    'too many of the newest plays': recent({ limit: 101 }),
    'an unknown play': playOf(wallet, '99'),
    'a play with a malformed nonce': playOf(wallet, 'first'),
  })
}
