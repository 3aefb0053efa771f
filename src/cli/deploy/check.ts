import { formatEther, isAddressEqual, zeroAddress, type Address } from 'viem'
import { usdgAbi } from '../../chain/abi.ts'
import { isOfContract, routerAbi } from '../../chain/check.ts'
import { isDevAddress } from '../../config/known-keys.ts'
import { DECIMALS } from '../../money/token.ts'
import { isPublicChain } from '../../config/start-up.ts'
import type { connect } from '../shared/chain-account.ts'
import { CommandError } from '../shared/terminal.ts'

/** What is to be deployed, and for whom. */
export interface Plan {
  /** The chain that is meant; null where nobody said. */
  chainId: number | null
  deployer: Address
  owner: Address
  relayer: Address
  usdg: Address
  router: Address | null
  boxSigner: Address | null
}

/** Gas that the contracts of each part take to deploy, rounded up. */
const VAULT_GAS = 3_500_000n
const LOOTBOX_GAS = 3_500_000n
const BOX_GAS = 6_000_000n

type Chain = ReturnType<typeof connect>

/**
 * Makes sure of everything that can be seen before contracts are made that nobody can change.
 * @returns the node's chain, and the router's token for its coin
 * @throws CommandError where something is wrong, with all of it
 */
export async function checkDeployment(
  chain: Chain,
  plan: Plan,
): Promise<{ chainId: number; weth: Address | null }> {
  const chainId = await chain.getChainId()
  if (plan.chainId !== null && plan.chainId !== chainId) {
    throw new CommandError(`The node is of chain ${chainId}, --chain is ${plan.chainId}.`)
  }
  const weth = plan.router === null ? null : await wethOf(chain, plan.router)
  const problems = [
    ...rightsProblems(plan, chainId),
    await dollarProblem(chain, plan.usdg),
    plan.router !== null && weth === null
      ? `--router ${plan.router} is no Uniswap v2 router: it names no WETH with code.`
      : null,
    await fundsProblem(chain, plan),
  ].filter((problem) => problem !== null)
  if (problems.length > 0) throw new CommandError(`Nothing was sent.\n${problems.join('\n')}`)
  return { chainId, weth }
}

function rightsProblems(plan: Plan, chainId: number): string[] {
  const { owner, relayer, boxSigner } = plan
  const problems: string[] = []
  if (isAddressEqual(owner, relayer)) {
    problems.push(
      '--owner is --relayer: one stolen key would take everything. Use a multisig as the owner.',
    )
  }
  if (boxSigner !== null && isAddressEqual(boxSigner, relayer)) {
    problems.push('--box-signer is --relayer: use a key of its own for each.')
  }
  const accounts = { '--owner': owner, '--relayer': relayer, '--box-signer': boxSigner }
  for (const [option, address] of Object.entries(accounts)) {
    if (address === null) continue
    if (address === zeroAddress) problems.push(`${option} is the zero address, which is nobody.`)
    if (isPublicChain(chainId) && isDevAddress(address)) {
      problems.push(`${option} ${address} is a development account that everybody has the key of.`)
    }
  }
  return problems
}

async function dollarProblem(chain: Chain, usdg: Address): Promise<string | null> {
  if (!(await chain.getCode({ address: usdg }))) {
    return `--usdg ${usdg} is no contract on this chain.`
  }
  const call = { address: usdg, abi: usdgAbi, functionName: 'decimals' } as const
  const decimals = await orNull(chain.readContract(call))
  if (decimals === DECIMALS.USDG) return null
  return decimals === null
    ? `--usdg ${usdg} is no token: it has no decimals().`
    : `--usdg ${usdg} has ${decimals} decimals, chips have ${DECIMALS.USDG}.`
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
  return `The deployer, ${deployer}, has ${formatEther(balance)} ETH, and needs up to ${formatEther(needed)} for gas.`
}

/** Returns what a contract answers, or null where it is another contract. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (fault) {
    if (isOfContract(fault)) return null
    throw fault
  }
}
