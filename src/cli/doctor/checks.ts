import { createECDH } from 'node:crypto'
import { encodeFunctionData, formatGwei, HttpRequestError, zeroAddress, zeroHash } from 'viem'
import { fetchBeacon } from '../../calls/beacon.ts'
import { vaultAbi } from '../../chain/abi.ts'
import type { ChainCheck } from '../../chain/check.ts'
import { askOneNode, chainClient, isCausedBy, type ChainNode } from '../../chain/client.ts'
import { paymentCalls } from '../../chain/payment.ts'
import { hasRandomness, NO_RANDOMNESS, UNKNOWN_RANDOMNESS } from '../../chain/randomness.ts'
import { MAX_GAS, takeChainReading, withMargin } from '../../chain/sender.ts'
import { vaultRelayer } from '../../chain/vault.ts'
import type {
  ChainConfig,
  Config,
  PartnerConfig,
  VaultConfig,
  ReceiptKey,
} from '../../config/config.ts'
import { max } from '../../core/bigint.ts'
import { counted } from '../../core/words.ts'
import { expectedValue } from '../../lootbox/prizes.ts'
import { TOKENS } from '../../money/token.ts'
import { marketPrice } from '../../relayer/gas.ts'
import { tokenAddresses } from '../../vault/typed-data.ts'
import { showAmount } from '../shared/amounts.ts'
import { check, checkWithWarning } from './check.ts'
import { feedChecks } from './feed-checks.ts'
import { poolChecks } from './pool-checks.ts'

/** An old round of drand quicknet, which every relay has. */
const OLD_ROUND = 1_000

/** How long a relay may take to answer anything. */
const REACHABLE_MS = 3_000

/** Checks that payouts can be paid. @throws if the node doesn't answer */
export async function fundChecks(config: Config): Promise<ChainCheck[]> {
  const { boxes, chain, vault, lootbox } = config
  const parts = await Promise.all([
    chain ? Promise.all([batchCheck(chain)]) : [],
    vault ? stateChecks(vault) : [],
    vault ? relayerChecks(vault) : [],
    vault ? bankrollChecks(vault, config) : [],
    vault && lootbox ? poolChecks(vault, lootbox) : [],
    vault && lootbox ? feedChecks(vault, lootbox) : [],
    boxes ? Promise.all([randomnessCheck(boxes)]) : [],
  ])
  return parts.flat()
}

/** Checks that the ids of boxes, and so their tiers, are drawn from a value that nobody knows beforehand. */
export async function randomnessCheck(boxes: ChainNode): Promise<ChainCheck> {
  const claim = "the chain's blocks have randomness for boxes"
  const isRandom = await hasRandomness(chainClient(boxes))
  if (isRandom === null) return checkWithWarning(claim, false, UNKNOWN_RANDOMNESS)
  return check(
    claim,
    isRandom,
    `${NO_RANDOMNESS} Stop the sale with stopBatch, and remove BOX_NFT_ADDRESS once the boxes sold have been claimed.`,
  )
}

/**
 * Checks that the node takes batches, as those that read payments and confirm deposits. Its other answers have just
 * been right.
 */
async function batchCheck(chain: ChainConfig): Promise<ChainCheck> {
  return check(
    'the node takes several calls in one request',
    await askOneNode(chain, paymentCalls(zeroHash)).then(
      () => true,
      () => false,
    ),
    'The node at CHAIN_RPC_URL did not answer a JSON-RPC batch, so no deposit would be credited and no payment for the lootbox or the advertising slot accepted. Set CHAIN_RPC_URL to a node that takes batches. If the node limits calls, try again later.',
  )
}

/**
 * Checks that the node answers for the blocks that the service names: the newest by its hash (EIP-1898), before the
 * relayer gives up a payment; and the newest confirmed one, whose totals the vault watch reads by its hash before it
 * credits a deposit, and whose balances are compared with the ledgers by its number.
 */
async function stateChecks(vault: VaultConfig): Promise<ChainCheck[]> {
  const { address, confirmations } = vault
  const client = chainClient(vault)
  const newest = await client.getBlock()
  const byHash = check(
    'the node takes calls that name their block by its hash',
    await isAnswered(vaultRelayer(vault, newest.hash)),
    'The node at CHAIN_RPC_URL takes no calls that name their block by its hash (EIP-1898), so withdrawals that the vault refuses would never end. Set CHAIN_RPC_URL to another node. If several nodes answer there, one may have lacked the block: try again.',
  )
  if (byHash.problem !== null) return [byHash]
  const blockNumber = max(0n, newest.number - BigInt(confirmations) + 1n)
  const { hash: blockHash } = await client.getBlock({ blockNumber })
  // Not decoded: a new vault isn't there yet after that block, and answers nothing.
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'books', args: [zeroAddress] })
  const totals = client.call({ to: address, data, blockHash })
  const balance = client.getBalance({ address, blockNumber })
  return [
    byHash,
    check(
      `the node has the state of the last ${counted(confirmations, 'block')}`,
      await isAnswered(Promise.all([totals, balance])),
      `The node at CHAIN_RPC_URL does not have the state after block ${blockNumber}, the newest with ${counted(confirmations, 'confirmation')}, so no deposit would be credited, and the vault's balances could not be compared with the ledgers. Set CHAIN_RPC_URL to a node that keeps the state of at least ${counted(confirmations, 'block')}, such as an archive node. If several nodes answer there, one may have lacked the block: try again.`,
    ),
  ]
}

/** Returns whether the node answers a call with anything but an error. @throws if it can't be reached */
async function isAnswered(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (fault) {
    if (isCausedBy(fault, HttpRequestError)) throw fault
    return false
  }
}

/** Checks that the relayer can pay for gas. Warns of a price above its maximum, which may fall. */
async function relayerChecks(vault: VaultConfig): Promise<ChainCheck[]> {
  const { reserveWei, maxFeePerGas } = vault.relayer
  const { sender, market } = await takeChainReading(vault)
  const { address, balanceWei } = sender
  const reserve = showAmount(reserveWei, 'ETH')
  const price = marketPrice(market)
  const dearest = withMargin(MAX_GAS) * maxFeePerGas
  return [
    check(
      'RELAYER_RESERVE_WEI pays for any transaction',
      reserveWei >= dearest,
      `RELAYER_RESERVE_WEI is ${reserveWei}, but a transaction may cost up to ${dearest} wei at the price of RELAYER_MAX_FEE_WEI, so payouts could wait for gas before RelayerGasLow fires. Set RELAYER_RESERVE_WEI to at least ${dearest}, or lower RELAYER_MAX_FEE_WEI.`,
    ),
    check(
      `the relayer has its gas reserve of ${reserve}`,
      balanceWei >= reserveWei,
      `The relayer, ${address}, has ${showAmount(balanceWei, 'ETH')}. Send it more ETH for gas.`,
    ),
    checkWithWarning(
      'the price of gas is at most RELAYER_MAX_FEE_WEI',
      price <= maxFeePerGas,
      `Gas costs ${formatGwei(price)} gwei, but RELAYER_MAX_FEE_WEI is ${formatGwei(maxFeePerGas)} gwei, so withdrawals and prizes wait for a lower price. If gas usually costs that much, raise it.`,
    ),
  ]
}

/**
 * Checks that the house has funds and, outside local play, that they cover the credits that a partner's key can make in
 * a day.
 */
async function bankrollChecks(
  vault: VaultConfig,
  { environment, partners }: Config,
): Promise<ChainCheck[]> {
  const { address } = vault
  const call = { address, abi: vaultAbi, functionName: 'houseFunds' } as const
  const tokens = tokenAddresses(vault)
  const funds = await Promise.all(
    TOKENS.map((token) => chainClient(vault).readContract({ ...call, args: [tokens[token]] })),
  )
  const withKeys = [...partners.values()].filter(({ keys }) => keys.length > 0)
  return [
    check(
      "the vault holds the house's funds",
      funds.some((wei) => wei > 0n),
      'The house has no funds in the vault, so no bets are accepted. Fund it with npm run fund: see step 5 of reference/deploy.md.',
    ),
    ...(environment === 'local' ? [] : withKeys).map(({ id, limits }) => {
      const above = TOKENS.filter((token, index) => limits[token].dayWei > (funds[index] ?? 0n))
      return check(
        `the house's funds bear a day of credits by partner ${id}`,
        above.length === 0,
        `maxNetCreditPerDay of ${id} is above the house's funds in the vault (${above.join(', ')}), so a stolen key could credit more than the house can pay. Lower it, or call the vault's fund(token, amount).`,
      )
    }),
  ]
}

/** Checks that pages can read the chain, without using up the node that money depends on. */
export function proxyChecks({ environment, vault, chain, rpc }: Config): ChainCheck[] {
  if (environment === 'local' || !chain) return []
  const served = rpc.upstreams.get(chain.chainId) ?? []
  const checks: ChainCheck[] = [
    check(
      'the RPC proxy does not use CHAIN_RPC_URL',
      !served.some((url) => new URL(url).href === new URL(chain.rpcUrl).href),
      'RPC_UPSTREAMS has the URL of CHAIN_RPC_URL, so visitors could use up the quota of the node that money depends on. Give the proxy another node or key.',
    ),
  ]
  if (!vault) return checks
  return [
    ...checks,
    check(
      'the RPC proxy serves the chain to the page',
      served.length > 0,
      `RPC_UPSTREAMS has no node for chain ${chain.chainId}, so the page could not show balances and allowances for deposits. Add one.`,
    ),
  ]
}

/**
 * Checks that a drand relay answers with a valid beacon. Warns of the others: one is enough, and another may stand in.
 */
export async function beaconChecks({ crash, drandRelays }: Config): Promise<ChainCheck[]> {
  if (crash.pepper === 'committed') return []
  const answers = await Promise.all(
    drandRelays.map(async (relay) => {
      const isValid = (await fetchBeacon([relay], OLD_ROUND)) !== null
      return { relay, isValid, isReached: isValid || (await isReachable(relay)) }
    }),
  )
  const checked = answers.some(({ isValid }) => isValid) ? checkWithWarning : check
  return answers.map(({ relay, isValid, isReached }) =>
    checked(
      `${relay} answers with a valid beacon`,
      isValid,
      isReached
        ? `${relay} does not answer with a valid beacon of drand quicknet. Remove it from DRAND_RELAYS, or replace it.`
        : `${relay} can't be reached from this machine. Check its URL in DRAND_RELAYS and this machine's connection to the internet.`,
    ),
  )
}

/** Returns whether anybody answers at a URL. */
async function isReachable(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(REACHABLE_MS)
    const { body } = await fetch(url, { signal, redirect: 'manual' })
    await body?.cancel()
    return true
  } catch {
    return false
  }
}

/** Checks that players can prove the house's statements. Local play makes its keys at each start. */
export function proofChecks({ environment, receiptKeys, log }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'the house’s commitments are in a public log',
      log !== null,
      'LOG_KEY is not set, so nobody can see that all players were shown the same. Make it with npm run --silent log-key -- <SITE_ORIGIN>.',
    ),
    check(
      'players get a signed receipt for what they do',
      receiptKeys.length > 0,
      'RECEIPT_KEYS is not set, so players get no receipts. Make it with npm run --silent receipt-key.',
    ),
    check(
      'the keys of receipts can sign',
      receiptKeys.every(isPair),
      'RECEIPT_KEYS has a key whose d belongs to another x and y, so players would get no receipts. Copy the key again as npm run --silent receipt-key printed it.',
    ),
  ]
}

/** Returns whether a key's private part, unless it is gone, has this public part. */
function isPair({ x, y, d }: ReceiptKey): boolean {
  if (d === undefined) return true
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(d, 'base64url')
  } catch {
    // Not a number of this curve.
    return false
  }
  return pair.getPublicKey('hex') === `04${hexOf(x)}${hexOf(y)}`
}

function hexOf(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('hex')
}

/** Warns of a site that leaves to chance where its objects are created. Local play has one place. */
export function locationChecks({ environment, location }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    checkWithWarning(
      'LOCATION decides where shared objects are created',
      location !== null,
      'LOCATION is not set, so each object that all players share is created near the machine that calls it first, and never moves. Set it in fairhouse.toml before the first deployment.',
    ),
  ]
}

/** Checks that an operator can watch the service. Local play has none. */
export function watchChecks({ environment, metricsToken }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'metrics can be read, with a token',
      metricsToken !== null,
      'METRICS_TOKEN is not set, so no alert can tell you that something is wrong. Set it to the output of openssl rand -hex 32, and give it to your Prometheus.',
    ),
  ]
}

/** Checks that players can reach the operator. */
export function supportChecks({ environment, supportUrl }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'players can reach you',
      supportUrl !== null,
      'SUPPORT_URL is not set, so players with a problem could not reach you. Set it to a page of yours, or to mailto: and an address.',
    ),
  ]
}

/** Warns of a lootbox that pays more of the coin than it costs. The value of its other prizes is not known here. */
export function lootboxChecks({ lootbox }: Pick<Config, 'lootbox'>): ChainCheck[] {
  if (!lootbox) return []
  const { price, prizes } = lootbox
  const won = expectedValue(prizes)['ETH'] ?? '0'
  return [
    checkWithWarning(
      'the lootbox costs more ETH than it pays',
      BigInt(won.split('.')[0] ?? '0') < BigInt(price),
      `An opening wins ${won} wei on average in prizes of ETH alone, and costs ${price}. Raise the price of LOOTBOX, or lower its prizes.`,
    ),
  ]
}

/** Checks that somebody can operate the service. A configuration that names anybody at all names enough treasurers. */
export function operatorChecks({ environment, operators }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'an operator is an admin',
      [...operators.values()].includes('admin'),
      'OPERATORS names no admin, so nobody could drain the service, open what is closed, send positions to D1 again or copy the journals. Name one in [vars.OPERATORS] of fairhouse.toml, better two, and at least two wallets as treasurer or admin.',
    ),
  ]
}

/**
 * Checks that every partner can undo its calls, and warns of those that can make none. `npm run dev` gives the partners
 * of local play their keys.
 */
export function partnerChecks({ environment, partners }: Config): ChainCheck[] {
  const keyCheck = ({ id, keys }: PartnerConfig) =>
    checkWithWarning(
      `partner ${id} has a key`,
      keys.length > 0,
      `PARTNER_KEYS has no key for ${id}, so it cannot call the bridge. That is right for a former partner that you list for a restore. Otherwise add a key.`,
    )
  const undoCheck = ({ id, debits, limits }: PartnerConfig) =>
    check(
      `partner ${id} can roll back every debit`,
      TOKENS.every((token) => debits[token].hourWei <= limits[token].dayWei),
      `maxDebitPerHour of ${id} is above its maxNetCreditPerDay, so a large debit could not be rolled back after 24 hours. Lower it, or raise maxNetCreditPerDay.`,
    )
  return [...partners.values()].flatMap((partner) =>
    environment === 'local' ? [undoCheck(partner)] : [keyCheck(partner), undoCheck(partner)],
  )
}
