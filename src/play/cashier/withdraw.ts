import type { PublicChain } from '../../vault/terms.ts'
import { isOver, type Withdrawal, type WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import type { Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { isFailure, post, type Problem } from '../api.ts'
import { Unfinished } from '../unfinished.ts'
import { pause } from '../pause.ts'
import { readMe, session, tookMe, wallet } from '../session.ts'
import { Store } from '../store.ts'
import { walletFailure } from '../wallet/wallet.ts'
import { readHoldings, tokenAddress } from './holdings.ts'

/** A withdrawal as its player has signed it: sent again, it tells how it is doing. */
interface Order {
  wallet: string
  token: Token
  amountWei: string
  nonce: number
  signature: string
}

interface State {
  /** Whose this is. */
  wallet: string | null
  isSigning: boolean
  /** Signed and not known to be over. */
  order: Order | null
  /** What the service says of it, or of the last one. */
  withdrawal: Withdrawal | null
  problem: Problem | null
}

const ASK_AGAIN_MS = 1_000

const WITHDRAW = [
  { name: 'player', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'amount', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
]

/** These say nothing of the order itself: it may have been taken. */
const SAYS_NOTHING: readonly Problem['code'][] = [
  ...(['unreachable', 'internal', 'rate_limited', 'upstream_failed'] as const),
]
/** The same, and only the player can do something about it. */
const NEEDS_SIGN_IN: readonly Problem['code'][] = ['auth_required', 'auth_invalid']

const signed = new Unfinished<Order>('withdrawal')

export const withdrawing = new Store<State>({
  wallet: null,
  isSigning: false,
  order: null,
  withdrawal: null,
  problem: null,
})

/** Has a withdrawal signed, and follows it until the chain has paid. */
export async function startWithdrawal(
  chain: PublicChain,
  token: Token,
  amountWei: bigint,
): Promise<void> {
  const { order: earlier, isSigning } = withdrawing.value
  const owner = session.value.credentials?.wallet
  if (owner === undefined || earlier || isSigning) return
  const clear = { order: null, withdrawal: null, problem: null }
  withdrawing.set({ wallet: owner, isSigning: true, ...clear })
  const order = await sign(chain, token, amountWei)
  withdrawing.patch({ isSigning: false })
  if (isFailure(order)) return withdrawing.patch({ problem: order.error })
  signed.write(owner, order)
  await follow(chain, order)
}

/** Goes on with what a page before this one has signed. */
export async function resumeWithdrawal(chain: PublicChain): Promise<void> {
  const owner = session.value.credentials?.wallet
  const order = owner === undefined ? null : signed.read(owner)
  if (order && !withdrawing.value.order) await follow(chain, order)
}

async function sign(chain: PublicChain, token: Token, amountWei: bigint) {
  const state = await readMe()
  if (!state) return { ok: false as const, error: SIGNED_OUT }
  if (isFailure(state)) return state
  const { nonce } = state.me
  try {
    const own = await wallet()
    const signature = await own.signTypedData({
      domain: {
        name: 'FairhouseVault',
        version: '1',
        chainId: chain.chainId,
        verifyingContract: chain.vault,
      },
      types: { Withdraw: WITHDRAW },
      primaryType: 'Withdraw',
      message: {
        player: own.address,
        token: tokenAddress(chain, token),
        amount: amountWei,
        nonce,
      },
    })
    const address = session.value.credentials?.wallet ?? own.address
    return { wallet: address, token, amountWei: String(amountWei), nonce, signature }
  } catch (fault) {
    return walletFailure(fault)
  }
}

const SIGNED_OUT: Problem = { code: 'auth_required', message: 'Sign in first.' }

async function follow(chain: PublicChain, order: Order): Promise<void> {
  withdrawing.patch({ wallet: order.wallet, order, problem: null })
  for (;;) {
    const { credentials } = session.value
    if (credentials?.wallet !== order.wallet) return withdrawing.patch({ order: null })
    const { token, amountWei, nonce, signature } = order
    const body = { ...credentials, action: 'withdraw', token, amountWei, nonce, signature }
    const answer = await post<WithdrawalAnswer>('/api/crash', body)
    if (isFailure(answer)) {
      withdrawing.patch({ problem: answer.error })
      if (NEEDS_SIGN_IN.includes(answer.error.code)) return withdrawing.patch({ order: null })
      if (!SAYS_NOTHING.includes(answer.error.code)) return end(order, null)
    } else {
      tookMe(order.wallet, answer.me)
      withdrawing.patch({ withdrawal: answer.withdrawal, problem: null })
      if (isOver(answer.withdrawal.status)) {
        void readHoldings(chain)
        return end(order, answer.withdrawal)
      }
    }
    await pause(ASK_AGAIN_MS)
  }
}

function end(order: Order, withdrawal: Withdrawal | null): void {
  signed.write(order.wallet, null)
  withdrawing.patch({ order: null })
  if (withdrawal?.status === 'confirmed') announce('Your withdrawal is in your wallet.')
  if (withdrawal?.status === 'failed') announce('The withdrawal failed; your chips are back.')
}
