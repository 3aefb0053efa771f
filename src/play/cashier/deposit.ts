import type { Activity } from '../../activity/activity.ts'
import { creditOf } from '../../ledger/deposit.ts'
import type { Token } from '../../money/token.ts'
import type { PublicChain } from '../../vault/table-config.ts'
import { tokenAddresses } from '../../vault/typed-data.ts'
import { readActivityPage } from '../activity/page.ts'
import { announce } from '../announce.ts'
import { isFailure } from '../api.ts'
import { IDLE, Job, MINED, type JobState } from '../job.ts'
import { protecting, readProtection } from '../limits/limits.ts'
import { EXCLUDED } from '../plain-words.ts'
import { readMe, requireMe, session, signedInWallet, wallet } from '../session.ts'
import { Store } from '../store.ts'
import { Unfinished } from '../unfinished.ts'
import { callData } from '../wallet/calls.ts'
import { confirmationsOf, waitForReceipt } from '../wallet/chain.ts'
import { send } from '../wallet/send.ts'
import { WalletError } from '../wallet/wallet.ts'
import { usdgDepositCall } from './approval.ts'
import { findHash, sendBatched, type Batch } from './batch.ts'
import { readHoldings } from './holdings.ts'

/** A deposit that was sent, or that the wallet may have sent. Amounts in smallest units. */
export interface Deposit {
  /** Null until it is known, for a batch. */
  hash: string | null
  batch?: Batch
  token: Token
  amountWei: string
  /** The chips it credits. */
  creditWei: string
  /** A number in the player's activity that is lower than the deposit's own. */
  afterSeq: number
}

/** The deposit's confirmations so far, or that the wallet doesn't say whether it has sent the deposit. */
export type DepositNews = number | 'unsure'

export const depositing = new Store<JobState<Deposit, DepositNews>>(IDLE)

const tickets = new Unfinished<Deposit>('deposit')

/** From the wallet into the vault, until the chips are credited. */
export const depositJob = (chain: PublicChain) =>
  new Job<Deposit, DepositNews>(depositing, {
    player: signedInWallet,
    tickets,
    steps: [
      { name: 'sent', ask: (deposit) => findHash(chain, deposit) },
      {
        ...MINED,
        ask: async ({ hash }) => ({ isDone: hash === null || (await confirmationsOf(hash)) > 0 }),
      },
      {
        name: 'confirming',
        ask: async ({ hash }) => {
          // A wallet that names no transaction leaves the rest to the service.
          const confirmations = hash === null ? chain.confirmations : await confirmationsOf(hash)
          // A reorganisation may have removed it from its block permanently.
          if (hash !== null && confirmations === 0) await waitForReceipt(hash)
          return { isDone: confirmations >= chain.confirmations, news: confirmations }
        },
      },
      {
        name: 'waiting',
        ask: async (deposit) => {
          // Has the service look for deposits, and shows the chips.
          await readMe()
          return { isDone: await isCredited(deposit) }
        },
        patienceMs: 60_000,
        late: 'The chain has confirmed your deposit. Your chips will arrive automatically.',
      },
    ],
    ended: ({ step }) => {
      void readHoldings(chain)
      if (step === 'done') announce('Your chips have arrived.')
    },
  })

export function startDeposit(
  chain: PublicChain,
  token: Token,
  amountWei: bigint,
  feeBps: number,
): Promise<void> {
  return depositJob(chain).start(async (owner, checkWanted) => {
    // Of another tab, or of a batch that the wallet may still send.
    const unfinished = tickets.read(owner)
    if (unfinished) return unfinished
    // The chain takes every deposit, so a player who is excluded, on whatever device, is stopped before it.
    const unread = await readProtection()
    if (unread) return unread
    if (protecting.value.protection?.excluded) throw new WalletError(EXCLUDED)
    const earlier = await readActivityPage(session.value.credentials, 'deposit', null)
    if (isFailure(earlier)) return earlier
    // The player may have left meanwhile.
    const me = await requireMe()
    if (isFailure(me)) return me
    const afterSeq = earlier.entries[0]?.seq ?? earlier.next ?? 0
    const creditWei = String(creditOf(amountWei, feeBps))
    const deposit = { token, amountWei: String(amountWei), creditWei, afterSeq }
    const batched =
      token === 'USDG' ? await sendBatched(chain, deposit, tickets, owner, checkWanted) : null
    const sent = batched ?? {
      ...deposit,
      hash: await sendDeposit(chain, token, amountWei, checkWanted),
    }
    announce('Your deposit is on its way.')
    return sent
  })
}

/** Gives up a deposit that the wallet, as its player says, has not sent. */
export function forgetDeposit(chain: PublicChain): void {
  depositJob(chain).forget()
}

/** Deposits without a batch. The wallet may answer a request for an approval after its player has cancelled. */
async function sendDeposit(
  chain: PublicChain,
  token: Token,
  amountWei: bigint,
  checkWanted: () => void,
): Promise<string> {
  checkWanted()
  const call = await depositCall(chain, token, amountWei)
  checkWanted()
  return send(call, checkWanted)
}

async function depositCall(chain: PublicChain, token: Token, amountWei: bigint) {
  const to = chain.vault
  if (token === 'USDG') {
    return { to, data: await usdgDepositCall(await wallet(), chain, amountWei), value: 0n }
  }
  const data = callData('deposit(address,uint256)', tokenAddresses(chain)[token], amountWei)
  return { to, data, value: amountWei }
}

/** Returns whether the service has credited a deposit. Looks no further back than the deposit can be. */
async function isCredited(deposit: Deposit, before: number | null = null): Promise<boolean> {
  const { hash, token, creditWei, afterSeq } = deposit
  const page = await readActivityPage(session.value.credentials, 'deposit', before)
  if (isFailure(page)) return false
  const { entries, next } = page
  const isIt = (each: Activity) =>
    hash === null
      ? each.seq > afterSeq && each.token === token && each.amountWei === creditWei
      : each.txHash === hash.toLowerCase()
  return entries.some(isIt) || (next !== null && next > afterSeq && isCredited(deposit, next))
}
