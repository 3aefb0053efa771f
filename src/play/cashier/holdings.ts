import type { PerToken, Token } from '../../money/token.ts'
import type { PublicChain } from '../../vault/table-config.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import { callData } from '../wallet/calls.ts'
import { answerOrNull, rpc } from '../wallet/chain.ts'

/** The wallet's balances on chain, in smallest units; null until they are known. */
export const holdings = new Store<PerToken<bigint> | null>(null)

/** Gas of the most expensive deposit. Twice as much stays in a wallet that deposits its maximum. */
const DEPOSIT_GAS = 400_000n

/** The wallet whose balances were last read. */
let readFor: string | undefined

export async function readHoldings(chain: PublicChain): Promise<void> {
  const owner = session.value.credentials?.wallet
  if (owner !== readFor) holdings.set(null)
  readFor = owner
  if (owner === undefined) return
  const call = { to: chain.usdg, data: callData('balanceOf(address)', owner) }
  const read = Promise.all([
    rpc<string>('eth_getBalance', [owner, 'latest']),
    rpc<string>('eth_call', [call, 'latest']),
  ])
  // If the chain doesn't answer, the old balances stay until the next reading.
  const [ETH, USDG] = (await answerOrNull(read)) ?? []
  const isStillIn = session.value.credentials?.wallet === owner
  if (ETH && USDG && isStillIn) holdings.set({ ETH: BigInt(ETH), USDG: BigInt(USDG) })
}

/** Returns the most of a token that can be deposited, less the cost of gas. */
export async function mostToDeposit(token: Token): Promise<bigint> {
  const holds = holdings.value?.[token] ?? 0n
  if (token !== 'ETH') return holds
  const gas = 2n * DEPOSIT_GAS * BigInt(await rpc<string>('eth_gasPrice'))
  return holds > gas ? holds - gas : 0n
}
