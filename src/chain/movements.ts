import { BlockNotFoundError, getAbiItem, parseEventLogs, type Address } from 'viem'
import type { VaultConfig } from '../config.ts'
import { invariant } from '../invariant.ts'
import type { VaultMovement } from '../ledger/deposit.ts'
import { vaultAbi } from './abi.ts'
import { chainClient, headOf } from './client.ts'
import { tokenAt } from './vault.ts'

/** Up to which block a ledger has read the chain; the hash is null after it has gone back. */
export interface ChainCursor {
  block: number
  hash: string | null
}

/** What a look at the chain came to. */
export type ChainReading =
  /** The cursor's block is not on the chain any more. */
  | { kind: 'reorganised' }
  /** Everything after the cursor up to `cursor`, which may not be all there is yet, and some before. */
  | { kind: 'read'; movements: VaultMovement[]; cursor: ChainCursor; isComplete: boolean }

/** One look reads so many ranges at most; the next goes on from there. */
const MOST_RANGES = 10
/** Blocks whose logs are read again: the node that gave them, one of several perhaps, may be behind. */
const REREAD_BLOCKS = 64

/**
 * Reads the vault's logs after a cursor and some before it, up to the newest block with enough
 * confirmations.
 * @param player whose deposits; null for what concerns the house
 * @throws where the node does not answer
 */
export async function readMovements(
  vault: VaultConfig,
  player: Address | null,
  after: ChainCursor,
): Promise<ChainReading> {
  const nothing: ChainReading = { kind: 'read', movements: [], cursor: after, isComplete: true }
  const [head, known] = await Promise.all([
    headOf(chainClient(vault.rpcUrl)),
    after.hash === null ? null : hashOf(vault, after.block),
  ])
  // A node that is behind, one of several perhaps, says nothing about a block it does not have yet.
  if (known !== after.hash) return known === null ? nothing : { kind: 'reorganised' }
  const newest = head - (vault.confirmations - 1)
  if (newest <= after.block) return nothing
  const last = Math.min(newest, after.block + vault.logRange * MOST_RANGES)
  // Before its logs are read: if they change in between, the next look finds another hash.
  const hash = await hashOf(vault, last)
  if (hash === null) return nothing
  const movements: VaultMovement[] = []
  const first = Math.max(vault.startBlock, after.block + 1 - REREAD_BLOCKS)
  for (let from = first; from <= last; from += vault.logRange) {
    const to = Math.min(last, from + vault.logRange - 1)
    movements.push(...(await readRange(vault, player, from, to)))
  }
  return { kind: 'read', movements, cursor: { block: last, hash }, isComplete: last === newest }
}

async function readRange(
  vault: VaultConfig,
  player: Address | null,
  from: number,
  to: number,
): Promise<VaultMovement[]> {
  const range = { address: vault.address, fromBlock: BigInt(from), toBlock: BigInt(to) }
  const client = chainClient(vault.rpcUrl)
  const logs = player
    ? await client.getContractEvents({
        ...range,
        abi: vaultAbi,
        eventName: 'Deposited',
        args: { player },
      })
    : await client.getLogs({ ...range, events: HOUSE_EVENTS })
  return parseEventLogs({ abi: vaultAbi, logs }).flatMap((log): VaultMovement[] => {
    const kind = KINDS[log.eventName]
    if (!kind || (kind === 'deposited') !== (player !== null) || log.removed) return []
    invariant('token' in log.args && 'amount' in log.args, 'a movement names token and amount')
    const token = tokenAt(vault, log.args.token)
    if (!token) return []
    return [
      {
        kind,
        txHash: log.transactionHash,
        logIndex: log.logIndex,
        block: Number(log.blockNumber),
        token,
        amountWei: log.args.amount,
      },
    ]
  })
}

/** Players' own are never asked for with the house's: there may be more than a node gives at once. */
const HOUSE_EVENTS = [
  getAbiItem({ abi: vaultAbi, name: 'Funded' }),
  getAbiItem({ abi: vaultAbi, name: 'HouseWithdrawn' }),
]

const KINDS: Partial<Record<string, VaultMovement['kind']>> = {
  Deposited: 'deposited',
  Funded: 'funded',
  HouseWithdrawn: 'house-withdrawn',
}

async function hashOf(vault: VaultConfig, block: number): Promise<string | null> {
  try {
    const { hash } = await chainClient(vault.rpcUrl).getBlock({ blockNumber: BigInt(block) })
    return hash
  } catch (fault) {
    if (fault instanceof BlockNotFoundError) return null
    throw fault
  }
}
