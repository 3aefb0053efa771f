import type { Address, Hex } from 'viem'
import type { Cast, Wallet } from '../actors.ts'
import { get, post, read } from '../recording.ts'

const LOOTBOX = '/api/lootbox'

interface Wins {
  openings: { status: string }[]
  recentWins: unknown[]
}

interface Opened {
  open: { status: string }
}

const open = (wallet: Wallet, txHash: string) =>
  post(LOOTBOX, { action: 'open', wallet: wallet.address, txHash })
const isPaid = ({ open: { status } }: Opened) => status === 'paid'

/** Paid openings and free spins, until their prizes are paid. */
export async function lootbox(cast: Cast): Promise<void> {
  const { recorder, chain, players } = cast
  const [, , , other, player] = players
  const terms = await recorder.ask<{ price: string; pool: Address }>('the terms', get(LOOTBOX))
  const { price: value, pool: to } = terms
  const mine = get(LOOTBOX, { wallet: player.address })
  await recorder.ask('the terms of a wallet', mine)
  await recorder.ask('the seeds of the days', get(LOOTBOX, { action: 'verify-seeds' }))

  const txHash = await chain.paused(async () => {
    const sent = await chain.send(player, { to, value })
    await recorder.ask('an opening whose payment is not mined', open(player, sent))
    return sent
  })
  const opening = open(player, txHash)
  await recorder.until('an opening', opening)
  await recorder.until('the opening, paid', opening, isPaid)
  const less = await chain.pay(player, { to, value: BigInt(value) - 1n })
  await recorder.askAll({
    "another's payment": open(other, txHash),
    'no payment': open(player, `0x${'11'.repeat(32)}`),
    'a payment that is too small': open(player, less),
    'a malformed payment': open(player, '0x12'),
  })
  await spin(cast, player, other)
  const isComplete = ({ openings, recentWins }: Wins) =>
    recentWins.length === 2 && openings.filter(({ status }) => status === 'paid').length === 2
  await recorder.until<Wins>('the terms after two openings', mine, isComplete)
}

/** Free spins, with posts on the local site that `npm run dev` starts. */
async function spin({ recorder, manifest }: Cast, player: Wallet, other: Wallet): Promise<void> {
  const write = async (author: string, text: string): Promise<string> => {
    const body = new URLSearchParams({ author, text })
    const posted = { method: 'POST', body, redirect: 'manual' } as const
    const { headers } = await fetch(`${manifest.posts}/posts`, posted)
    return new URL(headers.get('location') ?? '', manifest.posts).href
  }
  const share = (wallet: Wallet, postUrl: string) =>
    post(LOOTBOX, { action: 'share-spin', ...wallet.credentials, postUrl })
  const terms = await recorder.send(get(LOOTBOX, { wallet: player.address }))
  const text = `I play at ${read<{ shareCode: string }>(terms).shareCode}`
  const mine = await write('alice', text)
  await recorder.ask('a free spin', share(player, mine))
  await recorder.until<Opened>('the free spin, paid', share(player, mine), isPaid)
  await recorder.askAll({
    'a second free spin': share(player, await write('bob', text)),
    "another's post": share(other, mine),
    'a post without the code': share(other, await write('eve', 'hello')),
    'a post on an unknown site': share(other, 'https://example.com/1'),
  })
}

const BOXES = '/api/lootbox-nft'

interface Prompt {
  tx: { to: Address; data: Hex; value: string }
}

interface Owned {
  boxes: { boxId: string; state: string; claimed: boolean }[]
}

/** A box from its purchase to its prize. */
export async function boxes({ recorder, chain, players }: Cast): Promise<void> {
  const player = players[3]
  const { address: wallet } = player
  const act = (action: string, fields: object) => post(BOXES, { action, ...fields })
  const mine = get(BOXES, { wallet })
  /** Asks for a transaction and sends it. */
  const carryOut = async (name: string, action: string, fields: object) =>
    chain.pay(player, (await recorder.ask<Prompt>(name, act(action, fields))).tx)
  await recorder.askAll({
    'the shop': mine,
    'the boxes of a malformed wallet': get(BOXES, { wallet: 'me' }),
    'an unknown box': get(BOXES, { boxId: '12345' }),
    'a purchase of an unknown kind': act('buy', { kind: 7, wallet }),
  })
  await carryOut('a purchase', 'buy', { kind: 0, wallet })
  const owned = await recorder.until<Owned>('a closed box', mine, (now) => now.boxes.length === 1)
  const boxId = owned.boxes[0]?.boxId ?? ''
  await recorder.ask('the closed box', get(BOXES, { boxId }))
  await recorder.ask('a claim of a closed box', act('claim', { boxId }))
  await carryOut('a reveal', 'reveal', { boxId })
  const isRevealed = (now: Owned) => now.boxes[0]?.state === 'revealed'
  await recorder.until('a revealed box', mine, isRevealed)
  await carryOut('a claim', 'claim', { boxId })
  await recorder.until<Owned>('a claimed box', mine, (now) => now.boxes[0]?.claimed === true)
  await recorder.ask('a claim of a claimed box', act('claim', { boxId }))
}
