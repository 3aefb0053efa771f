import { formatEther, isAddressEqual, zeroAddress, type Address } from 'viem'
import { isOfContract } from '../../chain/check.ts'
import { routerAbi, tokenAbi } from '../../chain/foreign-abi.ts'
import { hasRandomness, NO_RANDOMNESS, UNKNOWN_RANDOMNESS } from '../../chain/randomness.ts'
import { isDevAddress } from '../../config/known-keys.ts'
import { isPublicChain } from '../../config/start-up.ts'
import { DECIMALS } from '../../money/token.ts'
import type { connect } from '../shared/chain-account.ts'
import { CommandError } from '../shared/terminal.ts'

/** The contracts to deploy, and their accounts. */
export interface Plan {
  /** The expected chain; null for any. */
  chainId: number | null
  deployer: Address
  owner: Address
  relayer: Address
  /** Null to deploy a token for tests. */
  usdg: Address | null
  router: Address | null
  boxSigner: Address | null
}

/** The gas to deploy each part's contracts, rounded up. */
const VAULT_GAS = 3_500_000n
const LOOTBOX_GAS = 3_500_000n
const BOX_GAS = 6_000_000n

type Chain = ReturnType<typeof connect>

/**
 * Checks a plan as far as possible before contracts are deployed that nobody can change.
 * @returns the node's chain id, and the router's wrapper of the native coin
 * @throws CommandError with all problems
 */
export async function checkDeployment(
  chain: Chain,
  plan: Plan,
): Promise<{ chainId: number; weth: Address | null; warning: string | null }> {
  const chainId = await chain.getChainId()
  if (plan.chainId !== null && plan.chainId !== chainId) {
    throw new CommandError(
      `The node is on chain ${chainId}, but --chain is ${plan.chainId}. Set --rpc to a node on that chain.`,
    )
  }
  const weth = plan.router === null ? null : await wethOf(chain, plan.router)
  const isRandom = plan.boxSigner === null || (await hasRandomness(chain))
  const problems = [
    ...rightsProblems(plan, chainId),
    plan.usdg === null ? testUsdgProblem(chainId) : await usdgProblem(chain, plan.usdg),
    plan.router !== null && weth === null
      ? `--router ${plan.router} is not a Uniswap v2 router: it has no WETH() contract. Set it to a router on this chain.`
      : null,
    isRandom === false ? `${NO_RANDOMNESS} Leave out --box-signer, or use another chain.` : null,
    await fundsProblem(chain, plan),
  ].filter((problem) => problem !== null)
  if (problems.length > 0) throw new CommandError(`Nothing was sent.\n${problems.join('\n')}`)
  return { chainId, weth, warning: isRandom === null ? UNKNOWN_RANDOMNESS : null }
}

function rightsProblems(plan: Plan, chainId: number): string[] {
  const { owner, relayer, boxSigner } = plan
  const problems: string[] = []
  if (isAddressEqual(owner, relayer)) {
    problems.push(
      '--owner and --relayer are the same account, so a single stolen key could empty the vault. Set --owner to a multisig.',
    )
  }
  if (boxSigner !== null && isAddressEqual(boxSigner, relayer)) {
    problems.push('--box-signer and --relayer are the same account. Use a separate key for each.')
  }
  const accounts = { '--owner': owner, '--relayer': relayer, '--box-signer': boxSigner }
  for (const [option, address] of Object.entries(accounts)) {
    if (address === null) continue
    if (address === zeroAddress)
      problems.push(`${option} is the zero address. Set it to your own account.`)
    if (isPublicChain(chainId) && isDevAddress(address)) {
      problems.push(
        `${option} ${address} is a development account with a publicly known key. Set it to your own account.`,
      )
    }
  }
  return problems
}

function testUsdgProblem(chainId: number): string | null {
  return isPublicChain(chainId)
    ? `--usdg test is for a chain of your own, and the node is on chain ${chainId}. Set --usdg to the USDG token.`
    : null
}

async function usdgProblem(chain: Chain, usdg: Address): Promise<string | null> {
  if (!(await chain.getCode({ address: usdg }))) {
    return `--usdg ${usdg} is not a contract on this chain. Set it to the USDG token.`
  }
  const call = { address: usdg, abi: tokenAbi, functionName: 'decimals' } as const
  const decimals = await orNull(chain.readContract(call))
  if (decimals === DECIMALS.USDG) return null
  return decimals === null
    ? `--usdg ${usdg} is not a token: it has no decimals(). Set it to the USDG token.`
    : `--usdg ${usdg} has ${decimals} decimals, but USDG chips have ${DECIMALS.USDG}. Set it to the USDG token.`
}

async function wethOf(chain: Chain, router: Address): Promise<Address | null> {
  const call = { address: router, abi: routerAbi, functionName: 'WETH' } as const
  const weth = await orNull(chain.readContract(call))
  if (weth === null) return null
  return (await chain.getCode({ address: weth })) ? weth : null
}

async function fundsProblem(chain: Chain, plan: Plan): Promise<string | null> {
  const { deployer, router, boxSigner } = plan
  const [balance, gasPrice] = await Promise.all([
    chain.getBalance({ address: deployer }),
    chain.getGasPrice(),
  ])
  const gas = VAULT_GAS + (router ? LOOTBOX_GAS : 0n) + (boxSigner ? BOX_GAS : 0n)
  const needed = gas * gasPrice
  if (balance >= needed) return null
  return `The deployer, ${deployer}, has ${formatEther(balance)} ETH, but needs up to ${formatEther(needed)} for gas. Send it more ETH.`
}

/** Returns a contract's answer, or null if it is a different contract. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (fault) {
    if (isOfContract(fault)) return null
    throw fault
  }
}
