import { getAbiItem, parseEventLogs, type Address, type Hash, type Log } from 'viem'
import type { VaultConfig } from '../config/config.ts'
import { HOUSE } from '../ledger/accounts.ts'
import type { PerToken, Token } from '../money/token.ts'
import type { VaultEvent, VaultTotals } from '../vault/events.ts'
import { tokenAddresses } from '../vault/typed-data.ts'
import { vaultAbi } from './abi.ts'
import { afterBlock, chainClient } from './client.ts'
import { readInParts, readLogsOfReceipts, type RangePart } from './logs.ts'
import { tokenAt, vaultContract } from './vault.ts'

/** Reading stops after the answer that reaches this many events: anyone can create more than fit into memory. */
export const MAX_LOGS = 20_000

/** The limit on an answer about a single block, which can't be halved. */
const MAX_BLOCK_BYTES = 20 * 1_048_576

/**
 * Reads the vault's events in a range of blocks, in order: all of them, or only up to an earlier block if there are
 * very many or the node stops answering. If the node refuses a range, because it is too long or contains too much,
 * reads it in halves, and a single block that it doesn't return from the receipts of its transactions.
 * @param blocksAtOnce how many blocks to ask for at once
 * @returns the events, and the last block that was read
 * @throws if it can't read the first blocks: the node doesn't answer, or an event has a token that isn't configured
 */
export async function readVaultEvents(
  vault: VaultConfig,
  from: number,
  to: number,
  blocksAtOnce: number,
): Promise<RangePart<VaultEvent>> {
  const events: VaultEvent[] = []
  let count = 0
  let end = from - 1
  try {
    for (let first = from; first <= to; first += blocksAtOnce) {
      const last = Math.min(to, first + blocksAtOnce - 1)
      for await (const part of readInParts(first, last, (...range) => readLogs(vault, ...range))) {
        for (const event of decode(vault, part.logs)) events.push(event)
        end = part.to
        count += part.logs.length
        if (count >= MAX_LOGS) return { to: end, logs: events }
      }
    }
  } catch (fault) {
    if (end < from) throw fault
  }
  return { to: end, logs: events }
}

async function readLogs(
  vault: VaultConfig,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<Log<bigint, number, false>[]> {
  const { address } = vault
  if (fromBlock !== toBlock) return chainClient(vault).getLogs({ address, fromBlock, toBlock })
  try {
    return await chainClient(vault, MAX_BLOCK_BYTES).getLogs({ address, fromBlock, toBlock })
  } catch {
    // Whether the node refuses the block or is too slow for all of it at once.
    return readLogsOfReceipts(vault, address, fromBlock)
  }
}

/** @param logs all logs of their blocks, so that no transaction lacks one */
function decode(vault: VaultConfig, logs: Log<bigint, number, false>[]): VaultEvent[] {
  const seen = new Map<string, number>()
  const events = new Map(eventsIn(logs).map((event) => [placeOf(event), event]))
  return logs.toSorted(byPlace).flatMap((log): VaultEvent[] => {
    if (log.removed) return []
    const position = seen.get(log.transactionHash) ?? 0
    seen.set(log.transactionHash, position + 1)
    const event = events.get(placeOf(log))
    if (!event) return []
    return [
      {
        ...meaningOf(vault, event),
        txHash: log.transactionHash,
        position,
        block: Number(log.blockNumber),
        blockHash: log.blockHash,
      },
    ]
  })
}

/** The events that affect a ledger or use up a nonce. */
const EVENTS = [
  getAbiItem({ abi: vaultAbi, name: 'Deposited' }),
  getAbiItem({ abi: vaultAbi, name: 'Withdrawn' }),
  getAbiItem({ abi: vaultAbi, name: 'NonceBurned' }),
  getAbiItem({ abi: vaultAbi, name: 'Funded' }),
  getAbiItem({ abi: vaultAbi, name: 'HouseWithdrawn' }),
]

/** Decodes the logs of these events, all at once: viem hashes every event for each call. */
function eventsIn(logs: Log<bigint, number, false>[]) {
  return parseEventLogs({ abi: EVENTS, logs })
}

/** Orders logs as the chain has them: a node may return them in another order. */
function byPlace(a: Log<bigint, number, false>, b: Log<bigint, number, false>): number {
  return Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex
}

function placeOf({ transactionHash, logIndex }: Log): string {
  return `${transactionHash} ${logIndex}`
}

type Meaning = Pick<VaultEvent, 'kind' | 'account' | 'token' | 'amountWei' | 'nonce'>

/** Returns an event's effect on a ledger. */
function meaningOf(vault: VaultConfig, event: ReturnType<typeof eventsIn>[number]): Meaning {
  switch (event.eventName) {
    case 'Deposited':
      return moved(
        'deposited',
        event.args.player,
        knownToken(vault, event.args.token),
        event.args.amount,
      )
    case 'Withdrawn': {
      const { player, token, amount, nonce } = event.args
      const movement = moved('withdrawn', player, knownToken(vault, token), amount)
      return { ...movement, nonce: Number(nonce) }
    }
    case 'NonceBurned': {
      const { player: account, nonce } = event.args
      return { kind: 'burned', account, token: null, amountWei: 0n, nonce: Number(nonce) }
    }
    case 'Funded':
      return moved('funded', HOUSE, knownToken(vault, event.args.token), event.args.amount)
    case 'HouseWithdrawn':
      return moved('house-withdrawn', HOUSE, knownToken(vault, event.args.token), event.args.amount)
  }
}

function moved(
  kind: VaultEvent['kind'],
  account: string,
  token: Token,
  amountWei: bigint,
): Meaning {
  return { kind, account, token, amountWei, nonce: null }
}

/** @throws if the vault moved a token that isn't configured, because skipping it would lose a deposit */
function knownToken(vault: VaultConfig, address: Address): Token {
  const token = tokenAt(vault, address)
  if (!token) throw new Error(`the vault moved the token ${address}, which is not USDG_ADDRESS`)
  return token
}

/**
 * Reads the vault's totals at the end of a block, as counted by its contract.
 * @param block its hash: nodes of other branches have another block of that number
 * @throws if the node doesn't answer, or doesn't have that block's state
 */
export async function readVaultTotals(
  vault: VaultConfig,
  block: Hash,
): Promise<PerToken<VaultTotals>> {
  const { read } = vaultContract(vault)
  const addresses = tokenAddresses(vault)
  const totalsOf = async (token: Token): Promise<VaultTotals> => {
    const books = await read.books([addresses[token]], afterBlock(block))
    const [deposited, withdrawn, funded, houseWithdrawn] = books
    return { deposited, withdrawn, funded, houseWithdrawn }
  }
  const [ETH, USDG] = await Promise.all([totalsOf('ETH'), totalsOf('USDG')])
  return { ETH, USDG }
}
