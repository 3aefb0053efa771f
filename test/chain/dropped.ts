import type { Hex } from 'viem'
import { pass, rowsOf, type Player } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { ask, chain, look, sentByRelayer, theRelayer, withdraw, work } from './support.ts'

/** Drops the newest blocks with all their transactions. */
export async function dropBlocks(count: number): Promise<void> {
  await ask('anvil_reorg', count, [])
  await ask('anvil_dropAllTransactions')
}

/** Drops the blocks after one, with all their transactions, and uses the relayer's nonces for others. */
export async function useUpNoncesAfter(block: number): Promise<void> {
  const sent = await sentByRelayer()
  await dropBlocks(Number(await chain.getBlockNumber()) - block)
  while ((await sentByRelayer()) < sent) {
    await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 1n })
  }
}

/** Has the relayer sign a withdrawal that no block takes. Returns its transaction. */
export async function signedWithoutBlock(player: Player, nonce: number): Promise<Hex> {
  await chain.setAutomine(false)
  await withdraw(player, { nonce })
  await work(player, 1)
  const signed = await rowsOf<{ raw: Hex }>(theRelayer(), 'SELECT raw FROM attempts ORDER BY rowid')
  await ask('anvil_dropAllTransactions')
  await chain.setAutomine(true)
  return signed.at(-1)!.raw
}

/** Has the relayer look at the chain every 15 seconds for some minutes. */
export async function lookFor(minutes: number): Promise<void> {
  for (let at = 0; at < minutes; at += 0.25) {
    pass(15_000)
    await look()
  }
}

/**
 * Drops the blocks after one and mines the relayer's transactions again, but for the first, whose nonce another one
 * takes.
 */
export async function mineAgainWithoutFirst(block: number): Promise<void> {
  const signed = await rowsOf<{ raw: Hex }>(theRelayer(), 'SELECT raw FROM attempts ORDER BY rowid')
  await dropBlocks(Number(await chain.getBlockNumber()) - block)
  await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 1n })
  for (const { raw } of signed.slice(1)) {
    await chain.sendRawTransaction({ serializedTransaction: raw })
  }
}
