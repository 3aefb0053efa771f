import { hasEnded, type Withdrawal, type WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import type { Token } from '../../money/token.ts'
import type { PublicChain } from '../../vault/table-config.ts'
import { tokenAddresses, vaultDomain, WITHDRAW_TYPES } from '../../vault/typed-data.ts'
import { announce } from '../announce.ts'
import { isFailure, post, type Problem } from '../api.ts'
import { IDLE, Job, judge, type JobState, type Verdict } from '../job.ts'
import { takeReceipt } from '../receipts.ts'
import { requireMe, signedInWallet, session, tookMe, wallet } from '../session.ts'
import { Store } from '../store.ts'
import { Unfinished } from '../unfinished.ts'
import { readHoldings } from './holdings.ts'

/** A withdrawal that its player has signed. Sending it again returns its status. */
interface SignedWithdrawal {
  token: Token
  amountWei: string
  nonce: number
  signature: string
}

export const withdrawing = new Store<JobState<SignedWithdrawal, Withdrawal>>(IDLE)

const tickets = new Unfinished<SignedWithdrawal>('withdrawal')

/** From a signature until the chain has paid. */
export const withdrawalJob = (chain: PublicChain) =>
  new Job<SignedWithdrawal, Withdrawal>(withdrawing, {
    player: signedInWallet,
    tickets,
    steps: [{ name: 'waiting', ask: submit }],
    judge: judgeWithdrawal,
    ended: ({ step, news }) => {
      void readHoldings(chain)
      if (step !== 'done') return
      if (news?.status === 'confirmed') announce('Your withdrawal is in your wallet.')
      if (news?.status === 'failed') announce('The withdrawal failed. Your chips are back.')
    },
  })

export function startWithdrawal(
  chain: PublicChain,
  token: Token,
  amountWei: bigint,
): Promise<void> {
  return withdrawalJob(chain).start(async (_owner, checkWanted) => {
    const me = await requireMe()
    if (isFailure(me)) return me
    const { nonce } = me
    const own = await wallet()
    const signature = await own.signTypedData({
      domain: vaultDomain({ chainId: chain.chainId, address: chain.vault }),
      types: WITHDRAW_TYPES,
      primaryType: 'Withdraw',
      message: {
        player: own.address,
        token: tokenAddresses(chain)[token],
        amount: amountWei,
        nonce,
      },
    })
    // Unlike a transaction, a signature does nothing until it is submitted.
    checkWanted()
    return { token, amountWei: String(amountWei), nonce, signature }
  })
}

async function submit({ token, amountWei, nonce, signature }: SignedWithdrawal) {
  const { credentials } = session.value
  const body = { ...credentials, action: 'withdraw', token, amountWei, nonce, signature }
  const answer = await post<WithdrawalAnswer>('/api/crash', body)
  if (isFailure(answer)) return answer
  if (credentials) {
    const facts = { kind: 'withdrawal', nonce, token, amountWei }
    takeReceipt(credentials.wallet, `withdrawal/${nonce}`, answer.receipt, facts)
    tookMe(credentials.wallet, answer.me)
  }
  return { isDone: hasEnded(answer.withdrawal.status), news: answer.withdrawal }
}

/** A service without its chain accepts no withdrawal. One that asks for a sign-in may have accepted it earlier. */
function judgeWithdrawal(problem: Problem): Verdict {
  const { code } = problem
  if (code === 'chain_unavailable') return 'drop'
  return code === 'auth_required' || code === 'auth_invalid' ? 'stop' : judge(problem)
}
