import {
  BaseError,
  erc20Abi,
  getAbiItem,
  HttpRequestError,
  isAddressEqual,
  RpcRequestError,
  zeroAddress,
  type Abi,
  type Address,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BoxConfig, Config, VaultConfig, LootboxConfig } from '../config/config.ts'
import { DECIMALS } from '../money/token.ts'
import { awardAbi, boxNftAbi, prizePoolAbi, vaultAbi } from './abi.ts'
import { hasPepper, readBatch } from './boxes.ts'
import { chainClient, headOf, isCausedBy, isRevert, readChainId, type ChainNode } from './client.ts'
import { priceFeedAbi, routerAbi } from './foreign-abi.ts'

/** A claim of the configuration about the chain, checked against the chain. */
export interface ChainCheck {
  /** The expected fact. */
  claim: string
  /** The actual fact and the remedy; null if the claim holds. */
  problem: string | null
  /** A note for a claim that need not hold, if it doesn't. */
  warning?: string
}

/** A mismatch between the vault on chain and its configuration. The message is for the operator. */
export class WrongVaultError extends Error {
  override name = 'WrongVaultError'
}

const REWARD_DECIMALS = 18

/**
 * Checks every address, key and number in the configuration against the chain. If the node is on another
 * chain, checks nothing else.
 * @throws if the node doesn't answer
 */
export async function checkChain({ chain, ...config }: Config): Promise<ChainCheck[]> {
  if (!chain) return []
  const chainId = await checkChainId(chain)
  if (chainId.problem !== null) return [chainId]
  const { vault, boxes, lootbox } = config
  const parts = await Promise.all([
    vault ? vaultChecks(vault) : [],
    vault && lootbox ? lootboxChecks(vault, lootbox) : [],
    boxes ? boxChecks(boxes, lootbox?.rewardToken ?? null) : [],
    boxes ? pepperChecks(boxes) : [],
  ])
  return [chainId, ...parts.flat()]
}

/** Checks the vault's configuration against the chain. @throws if the node doesn't answer */
export async function checkVault(vault: VaultConfig): Promise<ChainCheck[]> {
  const chainId = await checkChainId(vault)
  return chainId.problem === null ? [chainId, ...(await vaultChecks(vault))] : [chainId]
}

/** Returns the problems, in plain words. */
export function problemsOf(checks: ChainCheck[]): string[] {
  // Several claims may fail for one reason.
  return [...new Set(checks.flatMap(({ problem }) => problem ?? []))]
}

/** The vaults that have passed. Failed checks are repeated. */
const right = new Set<string>()

/**
 * Asserts that the vault on chain matches its configuration, before its events move money. Checks once per
 * isolate and configuration.
 * @throws WrongVaultError with all problems if it doesn't; another error if the node doesn't answer
 */
export async function assertVaultIsRight(vault: VaultConfig): Promise<void> {
  const { id, rpcUrl, usdg, startBlock, relayer } = vault
  const key = [id, rpcUrl, usdg, startBlock, relayer.privateKey].join(' ')
  if (right.has(key)) return
  const problems = problemsOf(await checkVault(vault))
  if (problems.length > 0) throw new WrongVaultError(problems.join(' '))
  right.add(key)
}

async function checkChainId({ chainId, rpcUrl }: ChainNode): Promise<ChainCheck> {
  const found = await readChainId(rpcUrl)
  return {
    claim: `the node is on chain ${chainId}`,
    problem:
      found === chainId
        ? null
        : `The node is on chain ${found}, but CHAIN_ID is ${chainId}. Set CHAIN_ID and CHAIN_RPC_URL to the contracts' chain.`,
  }
}

async function vaultChecks(vault: VaultConfig): Promise<ChainCheck[]> {
  const { address, usdg } = vault
  const { address: relayer } = privateKeyToAccount(vault.relayer.privateKey)
  const contract = { name: 'VAULT_ADDRESS', address, abi: vaultAbi }
  return Promise.all([
    readCheck(vault, {
      ...contract,
      functionName: 'USDG',
      claim: "USDG_ADDRESS is the vault's USDG",
      isRight: is(usdg),
      problem: (found) =>
        `The vault's USDG is ${found}, but USDG_ADDRESS is ${usdg}. Set USDG_ADDRESS to the vault's USDG.`,
    }),
    decimalsCheck(vault, 'USDG_ADDRESS', usdg, DECIMALS.USDG),
    readCheck(vault, {
      ...contract,
      functionName: 'relayer',
      claim: "RELAYER_PRIVATE_KEY belongs to the vault's relayer",
      isRight: is(relayer),
      problem: (found) =>
        `The vault's relayer is ${found}, but RELAYER_PRIVATE_KEY belongs to ${relayer}. Set the key of the vault's relayer, or have the vault's owner announce the new relayer.`,
    }),
    readCheck(vault, {
      ...contract,
      functionName: 'owner',
      claim: "the vault's owner is not the relayer",
      isRight: (found) => !is(relayer)(found),
      problem: () =>
        `The vault's owner is also its relayer, ${relayer}, so a single stolen key could empty the vault. Transfer the vault to a multisig.`,
    }),
    checkStartBlock(vault),
  ])
}

/** Checks the start block. A late one would skip deposits permanently; an early one only costs calls. */
async function checkStartBlock(vault: VaultConfig): Promise<ChainCheck> {
  const { address, startBlock, logRange } = vault
  const claim = `the vault was deployed in block ${startBlock} or later`
  const client = chainClient(vault)
  const head = await headOf(client)
  const advice = 'Set it to the block that deploy:contracts printed.'
  if (startBlock > head) {
    const problem = `VAULT_START_BLOCK is ${startBlock}, but the chain is only at block ${head}. ${advice}`
    return { claim, problem }
  }
  const created = await ifKept(
    client.getLogs({
      address,
      event: getAbiItem({ abi: vaultAbi, name: 'OwnershipTransferred' }),
      args: { previousOwner: zeroAddress },
      fromBlock: BigInt(startBlock),
      toBlock: BigInt(Math.min(head, startBlock + logRange - 1)),
    }),
  )
  if (created?.length || startBlock === 0) return { claim, problem: null }
  // If its first event isn't found, the vault is older or much newer. A node without old states can't tell which.
  const code = await ifKept(client.getCode({ address, blockNumber: BigInt(startBlock - 1) }))
  const problem = `The vault was deployed before VAULT_START_BLOCK, ${startBlock}, so earlier deposits would never be credited. ${advice}`
  return { claim, problem: code ? problem : null }
}

async function lootboxChecks(vault: VaultConfig, lootbox: LootboxConfig): Promise<ChainCheck[]> {
  const { pool, rewardToken, weth } = lootbox
  const { address: relayer } = privateKeyToAccount(vault.relayer.privateKey)
  const contract = { name: 'LOOTBOX_POOL', address: pool, abi: prizePoolAbi }
  const router = await read(vault, { ...contract, functionName: 'ROUTER' })
  return Promise.all([
    codeCheck(vault, 'WETH_ADDRESS', weth),
    readCheck(vault, {
      ...contract,
      functionName: 'payer',
      claim: "the pool's payer is the relayer",
      isRight: is(relayer),
      problem: (found) =>
        `The pool's payer is ${found}, but the relayer is ${relayer}. Have the pool's owner call setPayer(${relayer}).`,
    }),
    ...(typeof router === 'string' ? [checkRouter(vault, router as Address, weth)] : []),
    decimalsCheck(vault, 'REWARD_TOKEN_ADDRESS', rewardToken, REWARD_DECIMALS),
    ...[...lootbox.stocks].flatMap(([symbol, { token, decimals, feed }]) => [
      decimalsCheck(vault, `LOOTBOX_STOCKS.${symbol}.token`, token, decimals),
      readCheck(vault, {
        name: `LOOTBOX_STOCKS.${symbol}.feed`,
        address: feed,
        abi: priceFeedAbi,
        functionName: 'latestRoundData',
        claim: `the feed of ${symbol} has a price`,
        isRight: (found) => Array.isArray(found) && typeof found[1] === 'bigint' && found[1] > 0n,
        problem: () =>
          `The feed of ${symbol} at ${feed} has no price. Set LOOTBOX_STOCKS.${symbol}.feed to a working feed.`,
      }),
    ]),
  ])
}

function checkRouter(node: ChainNode, router: Address, weth: Address): Promise<ChainCheck> {
  return readCheck(node, {
    name: "the pool's router",
    address: router,
    abi: routerAbi,
    functionName: 'WETH',
    claim: "WETH_ADDRESS is the WETH of the pool's router",
    isRight: is(weth),
    problem: (found) =>
      `The pool's router swaps ${found}, but WETH_ADDRESS is ${weth}. Set WETH_ADDRESS to the router's WETH().`,
  })
}

async function boxChecks(boxes: BoxConfig, rewardToken: Address | null): Promise<ChainCheck[]> {
  const { contract, award, signerKey } = boxes
  const { address: signer } = privateKeyToAccount(signerKey)
  const sells = { name: 'BOX_NFT_ADDRESS', address: contract, abi: boxNftAbi }
  return Promise.all([
    readCheck(boxes, {
      ...sells,
      functionName: 'signer',
      claim: "BOX_SIGNER_KEY belongs to the boxes' signer",
      isRight: is(signer),
      problem: (found) =>
        `The boxes' signer is ${found}, but BOX_SIGNER_KEY belongs to ${signer}. Set the signer's key, or have the boxes' owner call setSigner(${signer}).`,
    }),
    readCheck(boxes, {
      ...sells,
      functionName: 'AWARD',
      claim: 'the award contract pays for these boxes',
      isRight: is(award),
      problem: (found) =>
        `The boxes' award contract is ${found}, but AWARD_ADDRESS is ${award}. Set AWARD_ADDRESS and BOX_NFT_ADDRESS to the addresses that deploy:contracts printed.`,
    }),
    readCheck(boxes, {
      name: 'AWARD_ADDRESS',
      address: award,
      abi: awardAbi,
      functionName: 'TOKEN',
      claim: 'the award contract pays the reward token',
      isRight: (found) => rewardToken === null || is(rewardToken)(found),
      problem: (found) =>
        `The award contract pays ${found}, but REWARD_TOKEN_ADDRESS is ${rewardToken}. Set AWARD_ADDRESS and REWARD_TOKEN_ADDRESS to the addresses that deploy:contracts printed.`,
    }),
  ])
}

/** Checks that the boxes of the latest batch can be opened. Other checks report a wrong contract. */
async function pepperChecks(boxes: BoxConfig): Promise<ChainCheck[]> {
  const batch = await readBatch(boxes).catch((fault: unknown) => {
    if (isOfContract(fault)) return null
    throw fault
  })
  if (batch === null || batch.number === 0 || batch.isEnded) return []
  const { number, pepperHash } = batch
  const problem = `BOX_PEPPERS has no pepper with the hash of batch ${number} on chain, ${pepperHash}, so the batch's boxes could not be opened. None is sold meanwhile. Set the pepper that the batch was opened with: its 64 hex digits, whose hash is of the 32 bytes.`
  return [
    {
      claim: `BOX_PEPPERS has the pepper of batch ${number}`,
      problem: hasPepper(boxes, batch) ? null : problem,
    },
  ]
}

async function codeCheck(node: ChainNode, name: string, address: Address): Promise<ChainCheck> {
  const code = await chainClient(node).getCode({ address })
  const problem = `There is no contract at ${name}, ${address}, on chain ${node.chainId}. Set it to the contract's address on that chain.`
  return { claim: `there is a contract at ${name}`, problem: code ? null : problem }
}

function decimalsCheck(
  node: ChainNode,
  name: string,
  token: Address,
  decimals: number,
): Promise<ChainCheck> {
  return readCheck(node, {
    name,
    address: token,
    abi: erc20Abi,
    functionName: 'decimals',
    claim: `the token at ${name} has ${decimals} decimals`,
    isRight: is(decimals),
    problem: (found) =>
      `The token at ${name} has ${found} decimals, but the service expects ${decimals}. Set ${name} to the right token.`,
  })
}

/** A contract's function without parameters. */
interface Reading {
  address: Address
  abi: Abi
  functionName: string
}

interface ReadCheck extends Reading {
  /** The variable with the address. */
  name: string
  claim: string
  isRight: (found: unknown) => boolean
  problem: (found: string) => string
}

async function readCheck(node: ChainNode, check: ReadCheck): Promise<ChainCheck> {
  const { name, address, functionName, claim, isRight } = check
  const found = await read(node, check)
  if (found === null) {
    const { problem } = await codeCheck(node, name, address)
    const other = `The contract at ${name}, ${address}, does not answer ${functionName}(). Set ${name} to the right contract.`
    return { claim, problem: problem ?? other }
  }
  const isShown = typeof found === 'string' || typeof found === 'number'
  return { claim, problem: isRight(found) ? null : check.problem(isShown ? String(found) : '?') }
}

/** Returns a contract's answer, or null if it lacks the function. */
async function read(node: ChainNode, { address, abi, functionName }: Reading): Promise<unknown> {
  try {
    return await chainClient(node).readContract({ address, abi, functionName })
  } catch (fault) {
    if (isOfContract(fault)) return null
    throw fault
  }
}

/** Returns a test for an expected answer. Addresses match in any letter case. */
function is(expected: Address | number): (found: unknown) => boolean {
  return (found) =>
    typeof expected === 'string'
      ? typeof found === 'string' && isAddressEqual(found as Address, expected)
      : found === expected
}

/** Returns whether a fault comes from the contract at the address rather than from the node. */
export function isOfContract(fault: unknown): boolean {
  if (!(fault instanceof BaseError)) return false
  const isOfNode = isCausedBy(fault, HttpRequestError) || isCausedBy(fault, RpcRequestError)
  return isRevert(fault) || !isOfNode
}

/** Returns an answer about the past, or null if the node doesn't keep that state. */
async function ifKept<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (fault) {
    if (!(fault instanceof BaseError) || isCausedBy(fault, HttpRequestError)) throw fault
    return null
  }
}
