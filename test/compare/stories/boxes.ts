import type { Address, Hex } from 'viem'
import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/lootbox-nft'
const NO_BOX = '12345'

interface Prompt {
  tx: { to: Address; data: Hex; value: string }
}

interface Owned {
  boxes: { boxId: string; state: string; claimed: boolean }[]
}

/** A box from its purchase to its prize. */
export async function boxes({ recorder, chain, players }: Cast): Promise<void> {
  const player = players[3]
  if (!player) return
  const { address: wallet } = player
  const act = (action: string, fields: object) => post(PATH, { action, ...fields })
  const mine = get(PATH, { wallet })
  await recorder.ask('the shop', mine)
  await recorder.ask('the boxes of a malformed wallet', get(PATH, { wallet: 'me' }))
  await recorder.ask('a malformed page', get(PATH, { wallet, from: 'first' }))
  await recorder.ask('an unknown box', get(PATH, { boxId: NO_BOX }))
  await recorder.ask('a malformed box', get(PATH, { boxId: '-1' }))

  const { tx } = await recorder.ask<Prompt>('a purchase', act('buy', { kind: 0, wallet }))
  await recorder.ask('a purchase of an unknown kind', act('buy', { kind: 7, wallet }))
  await recorder.ask('a malformed kind', act('buy', { kind: 'rare', wallet }))
  await chain.pay(player, tx)
  const owned = await recorder.until<Owned>('a closed box', mine, (now) => now.boxes.length === 1)
  const boxId = owned.boxes[0]?.boxId ?? ''
  await recorder.ask('the boxes after the last page', get(PATH, { wallet, from: '1' }))
  await recorder.ask('the closed box', get(PATH, { boxId }))
  await recorder.ask('a claim of a closed box', act('claim', { boxId }))

  const revealed = await recorder.ask<Prompt>('a reveal', act('reveal', { boxId }))
  await recorder.ask('the reveal again', act('reveal', { boxId }))
  await recorder.ask('a reveal of an unknown box', act('reveal', { boxId: NO_BOX }))
  await recorder.ask('a malformed reveal', act('reveal', { boxId: 1 }))
  await chain.pay(player, revealed.tx)
  const isRevealed = (now: Owned) => now.boxes[0]?.state === 'revealed'
  await recorder.until('a revealed box', mine, isRevealed)

  const claimed = await recorder.ask<Prompt>('a claim', act('claim', { boxId }))
  await recorder.ask('a claim of an unknown box', act('claim', { boxId: NO_BOX }))
  await chain.pay(player, claimed.tx)
  await recorder.until<Owned>('a claimed box', mine, (now) => now.boxes[0]?.claimed === true)
  await recorder.ask('a claim of a claimed box', act('claim', { boxId }))
}
