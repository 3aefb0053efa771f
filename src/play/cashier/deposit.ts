import type { PublicChain } from '../../vault/terms.ts'
import type { Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { isFailure, type Problem } from '../api.ts'
import { Unfinished } from '../unfinished.ts'
import { pause } from '../pause.ts'
import { readMe, session, wallet } from '../session.ts'
import { Store } from '../store.ts'
import { callData } from '../wallet/calls.ts'
import { rpc, told, waitForReceipt } from '../wallet/chain.ts'
import { send } from '../wallet/send.ts'
import { WalletError, walletFailure } from '../wallet/wallet.ts'
import { usdgDepositCall } from './approval.ts'
import { readHoldings, tokenAddress } from './holdings.ts'

export type DepositStep = 'wallet' | 'sent' | 'confirming' | 'arriving' | 'here'

export interface Deposit {
  wallet: string
  token: Token
  amountWei: string
  /** What of it becomes chips. */
  creditWei: string
  /** The chips before it. */
  chipsWei: string
  hash: string | null
}

interface State {
  /** The one under way, or the last one. */
  deposit: Deposit | null
  step: DepositStep
  confirmations: number
  problem: Problem | null
}

const ASK_AGAIN_MS = 1_000
/** Chips that were not seen to come so long after the chain confirmed them are not waited for. */
const PATIENCE_MS = 60_000

const sent = new Unfinished<Deposit>('deposit')

export const depositing = new Store<State>({
  deposit: null,
  step: 'here',
  confirmations: 0,
  problem: null,
})

/** Of so much so many chips. The fee is rounded up. */
export function chipsFor(amountWei: bigint, feeBps: number): bigint {
  return amountWei - (amountWei * BigInt(feeBps) + 9_999n) / 10_000n
}

export function isUnderWay({ deposit, step }: State): boolean {
  return deposit !== null && step !== 'here'
}

/** From the wallet into the vault, until the chips are here. */
export async function startDeposit(
  chain: PublicChain,
  token: Token,
  amountWei: bigint,
  feeBps: number,
): Promise<void> {
  const { credentials } = session.value
  if (!credentials || isUnderWay(depositing.value)) return
  const deposit: Deposit = {
    wallet: credentials.wallet,
    token,
    amountWei: String(amountWei),
    creditWei: String(chipsFor(amountWei, feeBps)),
    chipsWei: '0',
    hash: null,
  }
  depositing.set({ deposit, step: 'wallet', confirmations: 0, problem: null })
  let onItsWay: Deposit
  let hash: string
  try {
    const chipsWei = await chipsBefore(token)
    hash = await send(await depositCall(chain, token, amountWei))
    onItsWay = { ...deposit, chipsWei, hash }
  } catch (fault) {
    return depositing.patch({ deposit: null, problem: walletFailure(fault).error })
  }
  sent.write(deposit.wallet, onItsWay)
  await follow(chain, onItsWay, hash)
}

/** What the deposit's chips come on top of. @throws where they cannot be read, or who asks has gone */
async function chipsBefore(token: Token): Promise<string> {
  const state = await readMe()
  if (state && !isFailure(state)) return state.me.chips[token]
  throw new WalletError(state?.error.message ?? 'Sign in first.')
}

async function depositCall(chain: PublicChain, token: Token, amountWei: bigint) {
  const to = chain.vault
  if (token === 'USDG') {
    return { to, data: await usdgDepositCall(await wallet(), chain, amountWei), value: 0n }
  }
  const data = callData('deposit(address,uint256)', tokenAddress(chain, token), amountWei)
  return { to, data, value: amountWei }
}

/** Goes on with what a page before this one has sent. */
export async function resumeDeposit(chain: PublicChain): Promise<void> {
  const owner = session.value.credentials?.wallet
  const deposit = owner === undefined ? null : sent.read(owner)
  if (!deposit?.hash || isUnderWay(depositing.value)) return
  await follow(chain, deposit, deposit.hash)
}

async function follow(chain: PublicChain, deposit: Deposit, hash: string): Promise<void> {
  depositing.set({ deposit, step: 'sent', confirmations: 0, problem: null })
  announce('Your deposit is on its way.')
  try {
    const { blockNumber } = await waitForReceipt(hash)
    await confirmed(chain, Number(blockNumber))
    depositing.patch({ step: 'arriving' })
    void readHoldings(chain)
    if (!(await hasArrived(deposit))) return depositing.patch({ deposit: null })
    depositing.patch({ step: 'here' })
    announce('Your chips are here.')
  } catch (fault) {
    depositing.patch({ deposit: null, problem: walletFailure(fault).error })
  }
  sent.write(deposit.wallet, null)
}

async function confirmed(chain: PublicChain, blockNumber: number): Promise<void> {
  for (;;) {
    const head = Number(await told(rpc<string>('eth_blockNumber')))
    const confirmations = Math.max(1, head - blockNumber + 1)
    depositing.patch({ step: 'confirming', confirmations })
    if (confirmations >= chain.confirmations) return
    await pause(ASK_AGAIN_MS)
  }
}

/** False where another wallet plays now: whose deposit it is goes on with it later. */
async function hasArrived({ wallet: owner, token, creditWei, chipsWei }: Deposit) {
  const until = Date.now() + PATIENCE_MS
  while (session.value.credentials?.wallet === owner) {
    const state = await readMe()
    const chips = state && !isFailure(state) ? state.me.chips[token] : null
    if (chips !== null && BigInt(chips) >= BigInt(chipsWei) + BigInt(creditWei)) return true
    if (Date.now() > until) throw new WalletError(LATE)
    await pause(ASK_AGAIN_MS)
  }
  return false
}

const LATE = 'The chain has confirmed it. Chips that are not here yet come by themselves.'
