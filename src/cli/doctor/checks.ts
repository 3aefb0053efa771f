import { erc20Abi, HttpRequestError, sha256, zeroHash } from 'viem'
import { fetchBeacon } from '../../calls/beacon.ts'
import { vaultAbi } from '../../chain/abi.ts'
import { readBatch } from '../../chain/boxes.ts'
import type { ChainCheck } from '../../chain/check.ts'
import { askOneNode, chainClient, isCausedBy } from '../../chain/client.ts'
import { paymentCalls } from '../../chain/payment.ts'
import { readSender } from '../../chain/sender.ts'
import { vaultRelayer } from '../../chain/vault.ts'
import type {
  BoxConfig,
  ChainConfig,
  Config,
  VaultConfig,
  LootboxConfig,
} from '../../config/config.ts'
import { TOKENS } from '../../money/token.ts'
import { tokenAddresses } from '../../vault/typed-data.ts'
import { showAmount, showAsset } from '../shared/amounts.ts'
import { check } from './check.ts'

/** An old round of drand quicknet, which every relay has. */
const OLD_ROUND = 1_000

/** Checks that payouts can be paid. @throws if the node doesn't answer */
export async function fundChecks(config: Config): Promise<ChainCheck[]> {
  const { chain, vault, lootbox, boxes } = config
  const parts = await Promise.all([
    chain ? Promise.all([batchCheck(chain)]) : [],
    vault ? Promise.all([blockHashCheck(vault), relayerCheck(vault)]) : [],
    vault ? bankrollChecks(vault, config) : [],
    vault && lootbox ? poolChecks(vault, lootbox) : [],
    boxes ? awardChecks(boxes) : [],
  ])
  return parts.flat()
}

/** Checks that the node takes batches, as those that read payments and confirm deposits. Its other answers have just been right. */
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

/** Checks that calls may name their block by its hash (EIP-1898), as the relayer's do before it gives up a payment. */
async function blockHashCheck(vault: VaultConfig): Promise<ChainCheck> {
  const { hash } = await chainClient(vault).getBlock()
  const isRead = await vaultRelayer(vault, hash).then(
    () => true,
    (fault: unknown) => {
      if (isCausedBy(fault, HttpRequestError)) throw fault
      return false
    },
  )
  return check(
    'the node takes calls that name their block by its hash',
    isRead,
    'The node at CHAIN_RPC_URL takes no calls that name their block by its hash (EIP-1898), so withdrawals that the vault refuses would never end. Set CHAIN_RPC_URL to another node. If several nodes answer there, one may have lacked the block: try again.',
  )
}

async function relayerCheck(vault: VaultConfig): Promise<ChainCheck> {
  const { address, balanceWei } = await readSender(vault)
  const reserve = showAmount(vault.relayer.reserveWei, 'ETH')
  return check(
    `the relayer has its gas reserve of ${reserve}`,
    balanceWei >= vault.relayer.reserveWei,
    `The relayer, ${address}, has ${showAmount(balanceWei, 'ETH')}. Send it more ETH for gas.`,
  )
}

/** Checks that the house has funds and, outside local play, that they bear what a partner's key can credit in a day. */
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
  return [
    check(
      "the vault holds the house's funds",
      funds.some((wei) => wei > 0n),
      "The house has no funds in the vault, so no bets are accepted. Call the vault's fund(token, amount).",
    ),
    ...(environment === 'local' ? [] : [...partners.values()]).map(({ id, limits }) => {
      const above = TOKENS.filter((token, index) => limits[token].dayWei > (funds[index] ?? 0n))
      return check(
        `the house's funds bear a day of credits by partner ${id}`,
        above.length === 0,
        `maxNetCreditPerDay of ${id} is above the house's funds in the vault (${above.join(', ')}), so a stolen key could credit more than the house can pay. Lower it, or call the vault's fund(token, amount).`,
      )
    }),
  ]
}

async function poolChecks(vault: VaultConfig, lootbox: LootboxConfig): Promise<ChainCheck[]> {
  const { pool, rewardToken, prizes, spinPrizes } = lootbox
  const won = [...prizes, ...spinPrizes]
  const largest = (asset: string) =>
    won
      .filter((prize) => prize.asset === asset)
      .map(({ amountWei }) => BigInt(amountWei))
      .reduce((most, wei) => (wei > most ? wei : most), 0n)
  const call = { address: rewardToken, abi: erc20Abi, functionName: 'balanceOf' } as const
  const [coins, rewards] = await Promise.all([
    chainClient(vault).getBalance({ address: pool }),
    chainClient(vault).readContract({ ...call, args: [pool] }),
  ])
  const held = { ETH: coins, REWARD: rewards }
  return Object.entries(held).map(([asset, wei]) =>
    check(
      `the pool can pay its largest prize of ${showAsset(largest(asset), asset)}`,
      wei >= largest(asset),
      `The pool, ${pool}, has ${showAsset(wei, asset)}, which is less than its largest prize. Send it more.`,
    ),
  )
}

async function awardChecks(boxes: BoxConfig): Promise<ChainCheck[]> {
  const { number, pepperHash } = await readBatch(boxes)
  if (number === 0) return []
  const pepper = boxes.peppers.get(number)
  const isRight = pepper !== undefined && sha256(`0x${pepper}`).slice(2) === pepperHash
  return [
    check(
      `BOX_PEPPERS has the pepper of batch ${number}`,
      isRight,
      `BOX_PEPPERS has no pepper with the hash of batch ${number} on chain, ${pepperHash}, so the batch's boxes could not be opened. Set the pepper that the batch was opened with.`,
    ),
  ]
}

/** Checks that pages can read the chain, without using up the node that money depends on. */
export function proxyChecks({ environment, vault, chain, rpc }: Config): ChainCheck[] {
  if (environment === 'local' || !chain) return []
  const served = rpc.upstreams.get(chain.chainId) ?? []
  const checks: ChainCheck[] = [
    check(
      'the RPC proxy does not use CHAIN_RPC_URL',
      !served.includes(chain.rpcUrl),
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

/** Checks that every drand relay answers with a valid beacon. */
export async function beaconChecks({ crash, drandRelays }: Config): Promise<ChainCheck[]> {
  if (crash.pepper === 'committed') return []
  return Promise.all(
    drandRelays.map(async (relay) => {
      const signature = await fetchBeacon([relay], OLD_ROUND)
      return check(
        `${relay} answers with a valid beacon`,
        signature !== null,
        `${relay} does not answer with a valid beacon of drand quicknet. Remove it from DRAND_RELAYS, or replace it.`,
      )
    }),
  )
}

/** Checks that players can prove what the house has said. Local play makes its keys at each start. */
export function proofChecks({ environment, receiptKeys, log }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'the house’s commitments are in a public log',
      log !== null,
      'LOG_KEY is not set, so nobody can see that all players were shown the same. Make it with npm run log-key.',
    ),
    check(
      'players get a signed receipt for what they do',
      receiptKeys.length > 0,
      'RECEIPT_KEYS is not set, so players get no receipts. Make it with npm run receipt-key.',
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

/** Checks that somebody can operate the service. A configuration that names anybody at all names enough. */
export function operatorChecks({ environment, operators }: Config): ChainCheck[] {
  if (environment === 'local') return []
  return [
    check(
      'operators can act',
      operators.size > 0,
      'OPERATORS names nobody, so nobody could drain the service, freeze a wallet or pay out stuck money. Name at least two wallets as treasurer or admin in [vars.OPERATORS] of fairhouse.toml.',
    ),
  ]
}

/** Checks that every partner can sign its calls, and undo them. */
export function partnerChecks({ partners }: Config): ChainCheck[] {
  return [...partners.values()].flatMap(({ id, keys, debits, limits }) => [
    check(
      `partner ${id} has a key`,
      keys.length > 0,
      `PARTNER_KEYS has no key for ${id}, so it cannot call the bridge. Add one, or remove ${id} from PARTNERS.`,
    ),
    check(
      `partner ${id} can roll back every debit`,
      TOKENS.every((token) => debits[token].hourWei <= limits[token].dayWei),
      `maxDebitPerHour of ${id} is above its maxNetCreditPerDay, so a large debit could not be rolled back after 24 hours. Lower it, or raise maxNetCreditPerDay.`,
    ),
  ])
}
