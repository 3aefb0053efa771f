import { announce } from '../announce.ts'
import { fail, isFailure, post } from '../api.ts'
import { assetAmount } from '../assets.ts'
import { IDLE, isBusy, Job, MINED, type JobState } from '../job.ts'
import { keep } from '../keepsakes.ts'
import { ASK_AGAIN_MS, pause, untilAnswered } from '../pause.ts'
import { signedInWallet } from '../session.ts'
import { Store, useStore } from '../store.ts'
import { readCode } from '../wallet/account.ts'
import { callData, wordAt } from '../wallet/calls.ts'
import { answerOrNull, rpc } from '../wallet/chain.ts'
import { send } from '../wallet/send.ts'
import { readBox, readShop, shopping, type Box } from './shop.ts'

/** The three wallet confirmations of a box, in order. */
type BoxAction = 'buy' | 'reveal' | 'claim'

/** How long a transaction may be in a block before the service sees it. */
const PATIENCE_MS = 120_000

export const dealing = new Store<JobState<{ hash: string }, never>>(IDLE)

/** The latest action and its box. */
const stage = new Store<{ action: BoxAction; boxId: string | null }>({
  action: 'buy',
  boxId: null,
})

/** Returns the action in progress or null, the box on the stage, and the last problem. */
export function useBoxAction() {
  const state = useStore(dealing)
  const { action, boxId } = useStore(stage)
  return { ...state, action: isBusy(state) ? action : null, boxId }
}

/** Takes the box off the stage, for another player. */
export function clearStage(): void {
  stage.patch({ boxId: null })
  dealing.set(IDLE)
}

/** Stops waiting for the wallet, which may never answer. */
export function cancelBox(): void {
  new Job(dealing, { player: signedInWallet, steps: [] }).cancel()
}

export async function buyBox(kind: number): Promise<void> {
  const tiers = shopping.value.shop?.kinds.find((each) => each.kind === kind)?.tiers
  let before: string | null = null
  const done = () => 'The box is yours. Reveal it.'
  const boxId = await carryOut('buy', { kind, wallet: signedInWallet() }, done, async () => {
    before = await keepCommitment()
  })
  if (boxId === null) return
  // The house says which batch a box is of. Without a change of batches during the purchase, it is of this one.
  const after = await keepCommitment()
  const isOfBatch = after !== null && before === after
  keep('boxes', boxId, { ...(tiers && { tiers }), ...(isOfBatch && { pepperHash: after }) })
}

export async function revealBox(boxId: string): Promise<void> {
  await carryOut('reveal', { boxId }, ({ state, prize }) => {
    return state === 'revealed' && `You won ${assetAmount(prize ?? '0', 'REWARD')}. Claim it.`
  })
}

export async function claimBox(boxId: string): Promise<void> {
  await carryOut('claim', { boxId }, ({ claimed }) => claimed && 'The prize is in your wallet.')
}

/**
 * Sends the transaction that the service prepares, and waits until the service shows its effect on the box.
 * @param done returns the announcement for when the service shows it
 * @param first runs before anything is prepared, once further presses are ignored
 * @returns the box; null if none was bought
 */
async function carryOut(
  action: BoxAction,
  body: { boxId?: string; kind?: number; wallet?: string | undefined },
  done: (box: Box) => string | false,
  first?: () => Promise<void>,
): Promise<string | null> {
  if (isBusy(dealing.value)) return null
  const { kind } = body
  let { boxId = null }: { boxId?: string | null } = body
  let announcement: string | false = false
  const { shop } = shopping.value
  // As shown on the button. Only the purchase costs something.
  const price = action === 'buy' ? shop?.kinds.find((each) => each.kind === kind)?.price : '0'
  stage.set({ action, boxId: boxId ?? stage.value.boxId })
  const job = new Job(dealing, {
    player: signedInWallet,
    steps: [
      MINED,
      {
        name: 'waiting',
        ask: async ({ hash }) => {
          // Asked again each time, because a reorganised chain may draw another id.
          if (action === 'buy') boxId = await boxBoughtBy(hash)
          const box = boxId === null ? null : await readBox(boxId)
          if (!box || isFailure(box)) return box ?? { isDone: false }
          stage.patch({ boxId })
          announcement = done(box)
          return { isDone: announcement !== false }
        },
        patienceMs: PATIENCE_MS,
        late: 'The chain has confirmed it. Your boxes will be updated automatically.',
      },
    ],
    ended: ({ step }) => {
      if (step !== 'done') return
      announce(announcement || '')
      // The service may answer for a second as before.
      void pause(ASK_AGAIN_MS).then(readShop)
    },
  })
  await job.start(async (_owner, checkWanted) => {
    await first?.()
    const ready = await prepare({ action, ...body })
    if (isFailure(ready)) return ready
    const { to, data, value } = ready.tx
    // A prize is claimed from another contract, which the page does not know.
    const isThere = action === 'claim' || to.toLowerCase() === shop?.contract.toLowerCase()
    const agreed = action === 'buy' ? [callData('buy(uint256)', kind ?? 0)] : SELECTORS_OF[action]
    const isAgreed = agreed.some((call) => data.startsWith(call))
    const isAsAgreed = isThere && value === price && isAgreed
    if (!isAsAgreed) return fail('unverified', OTHER_TRANSACTION)
    const isPlain = action !== 'buy' || (await readCode(signedInWallet() ?? '')) === '0x'
    if (!isPlain) return fail('wallet', NOT_PLAIN)
    return { hash: await send({ to, data, value: BigInt(value) }, checkWanted) }
  })
  return boxId
}

/** The call that each action may make. Another function of another contract could take the player's tokens. */
const SELECTORS_OF: Record<Exclude<BoxAction, 'buy'>, string[]> = {
  reveal: [
    callData('open(uint256,uint256,uint256,bytes32,bytes)'),
    callData('openPublished(uint256)'),
  ],
  claim: [callData('claim(uint256,bytes32)')],
}

const NOT_PLAIN =
  'Boxes are sold only to accounts without code, and yours is a smart account. Nothing was sent.'

const OTHER_TRANSACTION =
  'The service prepared another transaction than the one shown, or for another price. Nothing was sent.'

/** A box that was just bought may not be confirmed yet: the service is asked again. */
async function prepare(body: object) {
  type Prepared = { tx: { to: string; data: string; value: string } }
  const ask = () => post<Prepared>('/api/lootbox-nft', body)
  const ready = await untilAnswered(async () => {
    const answer = await ask()
    return isFailure(answer) && answer.error.code === 'not_found' ? null : answer
  }, PATIENCE_MS)
  return ready ?? ask()
}

/** Keeps the commitment for the boxes on sale, read from the chain. @returns the pepper's hash; null if unread */
async function keepCommitment(): Promise<string | null> {
  const contract = shopping.value.shop?.contract
  const call = { to: contract, data: callData('currentBatch()') }
  const batch = contract && (await answerOrNull(rpc<string>('eth_call', [call, 'latest'])))
  if (!batch) return null
  const pepperHash = wordAt(batch, 1).toString(16).padStart(64, '0')
  keep('batches', String(wordAt(batch, 0)), { pepperHash })
  return pepperHash
}

/** The first topic of the box contract's `Bought(uint256,address,uint256,uint256)`; the second is the box's id. */
export const BOUGHT_TOPIC = '0xfacd5cf4a59fb843cae84344ea28fde6a2663600d66798f530d16925c0da0073'

/**
 * Returns the box that a transaction has bought: one, as only a plain account can buy. Null while the chain does not
 * say.
 */
async function boxBoughtBy(hash: string): Promise<string | null> {
  type Receipt = { logs: { topics: string[] }[] }
  const receipt = await answerOrNull(rpc<Receipt | null>('eth_getTransactionReceipt', [hash]))
  const bought = receipt?.logs.find(({ topics }) => topics[0] === BOUGHT_TOPIC)
  return bought?.topics[1] ? BigInt(bought.topics[1]).toString() : null
}
