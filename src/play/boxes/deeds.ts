import { announce } from '../announce.ts'
import { assetAmount } from '../assets.ts'
import { isFailure, post, type Failure, type Problem } from '../api.ts'
import { keep } from '../keepsakes.ts'
import { pause } from '../pause.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import { callData, wordAt } from '../wallet/calls.ts'
import { rpc, told, waitForReceipt } from '../wallet/chain.ts'
import { send } from '../wallet/send.ts'
import { walletFailure } from '../wallet/wallet.ts'
import { readShop, shopping, type Box } from './shop.ts'

/** The three prompts of a box, in their order. */
export type Deed = 'buy' | 'reveal' | 'claim'

interface State {
  /** Under way; null where nothing is. */
  deed: Deed | null
  step: 'wallet' | 'sent'
  /** The box on the stage. */
  boxId: string | null
  problem: Problem | null
}

/** A transaction that the service has made ready. */
interface Ready {
  tx: { to: string; data: string; value: string }
}

const ASK_AGAIN_MS = 1_000
/** So long a transaction may be in a block without the service seeing it. */
const PATIENCE_MS = 120_000

export const dealing = new Store<State>({
  deed: null,
  step: 'wallet',
  boxId: null,
  problem: null,
})

/** Buys a box: the first prompt. */
export async function buyBox(kind: number): Promise<void> {
  const known = new Set(boxes().map(({ boxId }) => boxId))
  const wallet = session.value.credentials?.wallet
  await keepCommitment()
  await carryOut('buy', { kind, wallet }, () => {
    const bought = boxes().find(({ boxId }) => !known.has(boxId))
    if (bought) dealing.patch({ boxId: bought.boxId })
    return bought !== undefined
  })
  if (dealing.value.boxId) announce('The box is yours. Reveal it.')
}

/** Has a box opened: the second prompt. */
export async function revealBox(boxId: string): Promise<void> {
  dealing.patch({ boxId })
  await carryOut('reveal', { boxId }, () => boxOf(boxId)?.state === 'revealed')
  const prize = boxOf(boxId)?.prize
  if (prize) announce(`You won ${assetAmount(prize, 'REWARD')}. Claim it.`)
}

/** Has the prize paid: the third prompt. */
export async function claimBox(boxId: string): Promise<void> {
  dealing.patch({ boxId })
  await carryOut('claim', { boxId }, () => boxOf(boxId)?.claimed === true)
  if (boxOf(boxId)?.claimed) announce('The prize is in your wallet.')
}

/** One prompt, with the transaction that the service makes ready; then until the shop shows it. */
async function carryOut(action: Deed, body: object, isDone: () => boolean): Promise<void> {
  if (dealing.value.deed) return
  dealing.patch({ deed: action, step: 'wallet', problem: null })
  const problem = await transact(action, body)
  if (!problem) await readUntil(isDone)
  dealing.patch({ deed: null, problem })
}

/** What the shop tells is some moments old. */
async function readUntil(isDone: () => boolean): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  do {
    await readShop()
    if (isDone()) return
    await pause(ASK_AGAIN_MS)
  } while (Date.now() < until)
}

async function transact(action: Deed, body: object): Promise<Problem | null> {
  const ready = await prepare(action, body)
  if (isFailure(ready)) return ready.error
  const { to, data, value } = ready.tx
  try {
    const hash = await send({ to, data, value: BigInt(value) })
    dealing.patch({ step: 'sent' })
    await waitForReceipt(hash)
    return null
  } catch (fault) {
    return walletFailure(fault).error
  }
}

/** A box that was just bought may not be confirmed yet: it is asked for again. */
async function prepare(action: Deed, body: object): Promise<Ready | Failure> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const ready = await post<Ready>('/api/lootbox-nft', { action, ...body })
    const isEarly = isFailure(ready) && ready.error.code === 'not_found' && Date.now() < until
    if (!isEarly) return ready
    await pause(ASK_AGAIN_MS)
  }
}

/** Keeps what the boxes on sale are committed to: asked of the chain itself, before the purchase. */
async function keepCommitment(): Promise<void> {
  const contract = shopping.value.shop?.contract
  const call = { to: contract, data: callData('currentBatch()') }
  const batch = contract && (await told(rpc<string>('eth_call', [call, 'latest'])))
  if (!batch) return
  const pepperHash = wordAt(batch, 1).toString(16).padStart(64, '0')
  keep('batches', String(wordAt(batch, 0)), { pepperHash })
}

function boxes(): Box[] {
  return shopping.value.shop?.boxes ?? []
}

function boxOf(boxId: string): Box | undefined {
  return boxes().find((box) => box.boxId === boxId)
}
