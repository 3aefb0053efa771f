import type { Address } from 'viem'
import type { Cast, Wallet } from '../actors.ts'
import { get, post, read, type Recorder } from '../recording.ts'

const PATH = '/api/lootbox'
const NO_PAYMENT = `0x${'11'.repeat(32)}`

interface Terms {
  price: string
  pool: Address
}

interface Wins {
  openings: { status: string }[]
  recentWins: unknown[]
}

interface Opened {
  open: { status: string }
}

const open = (wallet: Wallet, txHash: string) =>
  post(PATH, { action: 'open', wallet: wallet.address, txHash })
const isPaid = ({ open: { status } }: Opened) => status === 'paid'

/** Paid openings and free spins, until their prizes are paid. */
export async function lootbox(cast: Cast): Promise<void> {
  const { recorder, chain, players } = cast
  const [, , , other, player] = players
  if (!player || !other) return
  const { price, pool } = await recorder.ask<Terms>('the terms', get(PATH))
  const mine = get(PATH, { wallet: player.address })
  await recorder.ask('the terms of a wallet', mine)
  await recorder.ask('the terms of a malformed wallet', get(PATH, { wallet: 'me' }))
  await recorder.ask('the seeds of the days', get(PATH, { action: 'verify-seeds' }))
  await recorder.ask('an unknown action to read', get(PATH, { action: 'peek' }))

  const txHash = await chain.paused(async () => {
    const sent = await chain.send(player, { to: pool, value: price })
    await recorder.ask('an opening whose payment is not mined', open(player, sent))
    return sent
  })
  await recorder.until<object>('an opening', open(player, txHash), (_, status) => status === 200)
  await recorder.until<Opened>('the opening, paid', open(player, txHash), isPaid)
  await recorder.ask('the opening again', open(player, txHash))
  await recorder.ask("another's payment", open(other, txHash))
  await recorder.ask('no payment', open(player, NO_PAYMENT))
  const less = await chain.pay(player, { to: pool, value: BigInt(price) - 1n })
  await recorder.ask('a payment that is too small', open(player, less))
  const more = await chain.pay(player, { to: pool, value: BigInt(price) + 1n })
  await recorder.ask('a payment that is too large', open(player, more))
  const astray = await chain.pay(player, { to: other.address, value: price })
  await recorder.ask('a payment to another address', open(player, astray))
  await recorder.ask('a malformed payment', open(player, '0x12'))
  await recorder.ask('an opening without a wallet', post(PATH, { action: 'open', txHash }))

  await spin(cast, player, other)
  const isComplete = ({ openings, recentWins }: Wins) =>
    recentWins.length === 2 &&
    openings.length === 2 &&
    openings.every(({ status }) => status === 'paid')
  await recorder.until<Wins>('the terms after two openings', mine, isComplete)
}

/** Free spins, with posts on the local site that `npm run dev` starts. */
async function spin({ recorder, manifest }: Cast, player: Wallet, other: Wallet): Promise<void> {
  const { posts } = manifest
  const share = (wallet: Wallet, postUrl: string) =>
    post(PATH, { action: 'share-spin', ...wallet.credentials, postUrl })
  const code = await shareCode(recorder, player)
  const postUrl = await writePost(posts, 'alice', `I play at ${code}`)
  await recorder.ask('a free spin', share(player, postUrl))
  await recorder.until<Opened>('the free spin, paid', share(player, postUrl), isPaid)
  const another = await writePost(posts, 'bob', `I play at ${code}`)
  await recorder.ask('a second free spin', share(player, another))
  await recorder.ask("another's post", share(other, postUrl))
  const sameAuthor = await writePost(posts, 'alice', `and at ${await shareCode(recorder, other)}`)
  await recorder.ask("an author's second post", share(other, sameAuthor))
  await recorder.ask(
    'a post without the code',
    share(other, await writePost(posts, 'eve', 'hello')),
  )
  await recorder.ask('a missing post', share(other, `${posts}/eve/status/999`))
  await recorder.ask("a link that isn't a post", share(other, `${posts}/eve`))
  await recorder.ask('a post on an unknown site', share(other, 'https://example.com/1'))
  await recorder.ask('an empty link', share(other, ''))
  await recorder.ask(
    'a free spin without a signature',
    post(PATH, { action: 'share-spin', postUrl }),
  )
}

async function shareCode(recorder: Recorder, { address }: Wallet): Promise<string> {
  const answer = await recorder.send(get(PATH, { wallet: address }))
  return read<{ shareCode: string }>(answer).shareCode
}

async function writePost(site: string, author: string, text: string): Promise<string> {
  const body = new URLSearchParams({ author, text })
  const response = await fetch(`${site}/posts`, { method: 'POST', body, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '', site).href
}
