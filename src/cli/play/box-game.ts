import { getAddress, parseEventLogs, type Address, type Hex, type TransactionReceipt } from 'viem'
import type { z } from 'zod'
import type { BuyAnswer, ClaimAnswer, RevealAnswer } from '../../api/box-nft/answers-schema.ts'
import { boxNftAbi } from '../../chain/abi.ts'
import { readBatch, readBox, type BoxBatch } from '../../chain/boxes.ts'
import { showAmount, showAsset } from '../shared/amounts.ts'
import { inPlainWords } from '../shared/chain-account.ts'
import { poll } from '../shared/poll.ts'
import { CommandError, say } from '../shared/terminal.ts'
import { checkPlayedBox, type Shop, type ShownBox, type ShownKind } from './box-checks.ts'
import { conclude, expectSame, type PrizeSeat } from './prize-seat.ts'

/** A transaction prepared by the service. */
type ReadyTx = z.infer<typeof ClaimAnswer>['tx']

/** Buys a box, reveals it, claims its prize and checks everything that can be checked so far. */
export async function playBox(seat: PrizeSeat): Promise<boolean> {
  const { client, account, access } = seat
  const contracts = { ...access, contract: access.boxNft, confirmations: 1 }
  const kind = await chooseKind(seat)
  const batch = await inPlainWords(readBatch(contracts))
  showKind(kind, batch)
  const sentBefore = await account.transactionCount()
  const { order, boxId } = await buy(seat, kind)
  const opening = await reveal(seat, boxId, kind)
  const { shown, held } = await claim(seat, boxId)
  const prompts = (await account.transactionCount()) - sentBefore
  const onChain = await inPlainWords(readBox(contracts, BigInt(boxId), false))
  if (!onChain)
    throw new CommandError(`Box ${boxId} is no longer on chain. Start npm run dev again.`)
  const played = { kind, batch, order, opening, shown, onChain, prompts, held }
  return conclude(checkPlayedBox(played), {
    prize: showAsset(BigInt(opening.prize), 'REWARD'),
    later: `Once batch ${batch.number} has ended, check that the tier follows from its pepper`,
    verify: `${client.baseUrl.origin} --box ${boxId} --pepper ${batch.pepperHash}`,
  })
}

async function buy(seat: PrizeSeat, { kind, price }: ShownKind) {
  const { account, access, line } = seat
  const fields = { kind, wallet: account.address }
  const order = await act<z.infer<typeof BuyAnswer>>(seat, 'buy', fields)
  const boxId = boughtBox(await send(seat, order.tx, access.boxNft, price))
  line.print(`1 of 3, bought: box ${boxId}`)
  await shownAs(seat, boxId, ({ state }) => state === 'closed')
  return { order, boxId }
}

async function reveal(seat: PrizeSeat, boxId: string, { tiers }: ShownKind) {
  const fields = { boxId }
  const opening = await act<z.infer<typeof RevealAnswer>>(seat, 'reveal', fields)
  await send(seat, opening.tx, seat.access.boxNft, '0')
  const label = tiers[opening.tier]?.label ?? `tier ${opening.tier}`
  seat.line.print(`2 of 3, revealed: ${label}, ${showAsset(BigInt(opening.prize), 'REWARD')}`)
  await shownAs(seat, boxId, ({ state }) => state === 'revealed')
  return opening
}

async function claim(seat: PrizeSeat, boxId: string) {
  const { account, access, line } = seat
  const { tx } = await act<{ tx: ReadyTx }>(seat, 'claim', { boxId })
  const { transactionHash } = await send(seat, tx, access.award, '0')
  line.print(`3 of 3, claimed: ${transactionHash}`)
  const shown = await shownAs(seat, boxId, ({ claimed }) => claimed)
  return { shown, held: await account.holdsAround(access.rewardToken, transactionHash) }
}

/** Returns the first kind for sale. */
async function chooseKind({ client, account }: PrizeSeat): Promise<ShownKind> {
  const { kinds } = await client.get<Shop>('/api/lootbox-nft', { wallet: account.address })
  const kind = kinds.find(({ isForSale }) => isForSale)
  if (kind) return kind
  throw new CommandError('No box is for sale at this service now. Try again later.')
}

function showKind({ price, tiers }: ShownKind, { number, pepperHash }: BoxBatch): void {
  say(`box: ${showAmount(BigInt(price), 'ETH')}`)
  for (const { label, bps, prize } of tiers) {
    const percent = `${(bps / 100).toFixed(2)}%`.padStart(8)
    say(`  ${percent}  ${label.padEnd(10)} ${showAsset(BigInt(prize), 'REWARD')}`)
  }
  say(`  pepper hash of batch ${number}, on chain  ${pepperHash}`)
}

function act<T>({ client }: PrizeSeat, action: string, fields: object): Promise<T> {
  return client.post('/api/lootbox-nft', { action, ...fields })
}

/** Sends a transaction prepared by the service, if it matches the wallet's expectations. */
function send(
  { account, access }: PrizeSeat,
  tx: ReadyTx,
  to: Address,
  valueWei: string,
): Promise<TransactionReceipt> {
  expectSame('the chain', tx.chainId, access.chainId)
  expectSame('the contract', getAddress(tx.to), getAddress(to))
  expectSame('the price in wei', tx.value, valueWei)
  return account.send({ to, data: tx.data as Hex, value: BigInt(valueWei) })
}

function boughtBox({ logs }: TransactionReceipt): string {
  const [bought] = parseEventLogs({ abi: boxNftAbi, eventName: 'Bought', logs })
  if (bought) return bought.args.boxId.toString()
  throw new CommandError(
    'The purchase is on chain, but it has no Bought event. Check that --url is the service of npm run dev.',
  )
}

/** Waits until the shop shows a box in the awaited state. */
function shownAs(
  seat: PrizeSeat,
  boxId: string,
  isAwaited: (box: ShownBox) => boolean,
): Promise<ShownBox> {
  return poll(
    `The shop did not show the new state of box ${boxId} in time. See GET /api/lootbox-nft later.`,
    async () => {
      const box = await findBox(seat, boxId, 0)
      return box && isAwaited(box) ? box : null
    },
  )
}

async function findBox(seat: PrizeSeat, boxId: string, from: number): Promise<ShownBox | null> {
  const query = { wallet: seat.account.address, from: String(from) }
  const { boxes, next } = await seat.client.get<Shop>('/api/lootbox-nft', query)
  const box = boxes.find((one) => one.boxId === boxId)
  return box ?? (next === null ? null : findBox(seat, boxId, next))
}
