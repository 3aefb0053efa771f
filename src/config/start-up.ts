import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isOwnMachine } from '../core/own-machine.ts'
import type { Vars } from './environment.ts'
import { isDevAddress, isDevSecret, isDevSeed, isExampleKey } from './known-keys.ts'

/** The chain ids of local development chains: anvil, hardhat and ganache. */
const DEV_CHAINS: ReadonlySet<number> = new Set([1_337, 31_337])

/**
 * The minimum confirmations that protect a payment from reorganisations, by chain id:
 * - 1 and 11155111, Ethereum and Sepolia: the deepest reorganisation since proof of stake began had 7
 *   blocks (the beacon chain, 25 May 2022); exchanges wait for 12.
 * - 137, Polygon: a reorganisation had 157 blocks (23 February 2023).
 * - 43114, Avalanche: an accepted block is final.
 */
const MIN_CONFIRMATIONS: ReadonlyMap<number, number> = new Map([
  [1, 12],
  [137, 256],
  [43_114, 1],
  [11_155_111, 12],
  ...[...DEV_CHAINS].map((chainId) => [chainId, 1] as const),
])

/** The minimum for any other chain: two epochs of Ethereum. A rollup may still have only its sequencer's word then. */
const DEFAULT_MIN_CONFIRMATIONS = 64

/** Reserved names that nobody can own (RFC 2606, RFC 6761). */
const EXAMPLE_HOST = /(^|\.)(example(\.(com|net|org))?|test|invalid|localhost)$/

/** Returns the minimum confirmations for a chain. */
function minConfirmations(chainId: number): number {
  return MIN_CONFIRMATIONS.get(chainId) ?? DEFAULT_MIN_CONFIRMATIONS
}

/** Returns whether a chain is public rather than a developer's own. */
export function isPublicChain(chainId: number): boolean {
  return !DEV_CHAINS.has(chainId)
}

/** Returns the reasons, for the operator, why the service must not start with these variables. */
export function startUpProblems(vars: Vars): string[] {
  return vars.ENVIRONMENT === 'production' ? productionProblems(vars) : localProblems(vars)
}

function localProblems({ VAULT_ADDRESS, CHAIN_ID }: Vars): string[] {
  if (!VAULT_ADDRESS || !isPublicChain(CHAIN_ID)) return []
  return [
    `ENVIRONMENT is local, but VAULT_ADDRESS is on the public chain ${CHAIN_ID}, where the faucet's chips could be withdrawn. Set ENVIRONMENT to production.`,
  ]
}

function productionProblems(vars: Vars): string[] {
  return [
    ...siteProblems(vars),
    ...nodeProblems(vars),
    ...chainProblems(vars),
    ...keyProblems(vars),
  ]
}

function siteProblems({ SITE_ORIGIN, SITE_DOMAIN, OPERATE_ORIGIN }: Vars): string[] {
  const { protocol, hostname, host } = new URL(SITE_ORIGIN)
  const domain = SITE_DOMAIN.replace(/:\d+$/, '')
  const problems: string[] = []
  if (protocol !== 'https:') {
    problems.push(
      `SITE_ORIGIN is ${SITE_ORIGIN}, but production must use https. Set it to https://…`,
    )
  }
  if (OPERATE_ORIGIN && !OPERATE_ORIGIN.startsWith('https:')) {
    problems.push(
      `OPERATE_ORIGIN is ${OPERATE_ORIGIN}, but production must use https. Set it to https://…`,
    )
  }
  const example = [hostname, domain].find((name) => EXAMPLE_HOST.test(name.toLowerCase()))
  if (example !== undefined) {
    problems.push(
      `${example} is an example domain. Set SITE_DOMAIN and SITE_ORIGIN to your own domain.`,
    )
  } else if (SITE_DOMAIN !== host) {
    problems.push(
      `SITE_DOMAIN is ${SITE_DOMAIN}, but the host of SITE_ORIGIN is ${host}, and wallets warn of a sign-in for another domain. Set SITE_DOMAIN to ${host}.`,
    )
  }
  return problems
}

/** Without the URLs, which may have keys. */
function nodeProblems({ CHAIN_RPC_URL, RPC_UPSTREAMS }: Vars): string[] {
  const urls = {
    CHAIN_RPC_URL: CHAIN_RPC_URL ? [CHAIN_RPC_URL] : [],
    RPC_UPSTREAMS: Object.values(RPC_UPSTREAMS).flat(),
  }
  return Object.entries(urls)
    .filter(([, nodes]) => nodes.some(isPlain))
    .map(
      ([name]) =>
        `${name} has a node with http, so anyone on the way could make up what the chain says, and read a key in the URL. Use https.`,
    )
}

/** Returns whether calls to a node could be changed on the way. */
function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol !== 'https:' && !isOwnMachine(hostname)
}

function chainProblems(vars: Vars): string[] {
  const { CHAIN_ID, CHAIN_RPC_URL, CHAIN_CONFIRMATIONS, VAULT_ADDRESS, VAULT_START_BLOCK } = vars
  const { BOX_NFT_ADDRESS, BOX_NFT_START_BLOCK } = vars
  const problems: string[] = []
  const min = minConfirmations(CHAIN_ID)
  if (CHAIN_RPC_URL && CHAIN_CONFIRMATIONS < min) {
    problems.push(
      `CHAIN_CONFIRMATIONS is ${CHAIN_CONFIRMATIONS}, but payments on chain ${CHAIN_ID} can be reorganised away before ${min}. Set it to ${min} or more.`,
    )
  }
  if (VAULT_ADDRESS && VAULT_START_BLOCK === 0) {
    problems.push(
      'VAULT_START_BLOCK is 0, so the service would read the whole chain for deposits. Set it to the block that deploy:contracts printed.',
    )
  }
  if (BOX_NFT_ADDRESS && BOX_NFT_START_BLOCK === 0) {
    problems.push(
      'BOX_NFT_START_BLOCK is 0, so the export would read the whole chain for boxes. Set it to the block that deploy:contracts printed.',
    )
  }
  return problems
}

function keyProblems(vars: Vars): string[] {
  const { RELAYER_PRIVATE_KEY, BOX_SIGNER_KEY, PROTOCOL_WALLET, PARTNER_KEYS, LOG_KEY } = vars
  const receiptKeys = vars.RECEIPT_KEYS ? vars.RECEIPT_KEYS.keys : []
  const problems: string[] = []
  for (const [name, key] of Object.entries({ RELAYER_PRIVATE_KEY, BOX_SIGNER_KEY })) {
    if (key && isDevAddress(privateKeyToAccount(key as Hex).address)) {
      problems.push(`${name} is a publicly known development key. Generate your own.`)
    }
  }
  if (RELAYER_PRIVATE_KEY && RELAYER_PRIVATE_KEY.toLowerCase() === BOX_SIGNER_KEY?.toLowerCase()) {
    problems.push(
      'BOX_SIGNER_KEY is the same key as RELAYER_PRIVATE_KEY, so one leak would give away both the vault and the boxes. Generate another.',
    )
  }
  if (PROTOCOL_WALLET && isDevAddress(PROTOCOL_WALLET)) {
    problems.push(
      'PROTOCOL_WALLET is a development account with a publicly known key. Set it to your own account.',
    )
  }
  if ([...vars.OPERATORS.keys()].some((wallet) => isDevAddress(wallet as Address))) {
    problems.push(
      'OPERATORS names a development account with a publicly known key. Name your own accounts.',
    )
  }
  if (receiptKeys.some(({ x }) => isExampleKey(x))) {
    problems.push(
      'RECEIPT_KEYS has an example key whose private part is published. Generate your own.',
    )
  }
  if (LOG_KEY && isDevSeed(LOG_KEY.seed)) {
    problems.push(
      'LOG_KEY is a publicly known development key. Make your own: npm run --silent log-key -- <SITE_ORIGIN>',
    )
  }
  for (const [partner, keys] of Object.entries(PARTNER_KEYS || {})) {
    if (Object.values(keys).some(isDevSecret)) {
      problems.push(
        `PARTNER_KEYS has a publicly known development key for ${partner}. Generate a new one.`,
      )
    }
  }
  return problems
}
