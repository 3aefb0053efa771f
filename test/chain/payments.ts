import type { Address, Hex } from 'viem'
import { expect, vi } from 'vitest'
import { now, type Answer, type Player } from '../workers/support.ts'
import { account } from './accounts.ts'
import { ask, chain } from './support.ts'

/** Sends coins. Unless mining is off, they are in a block made now, by the driven clock. */
export async function transfer(
  player: Player,
  fields: { to: Address; value: bigint; data?: Hex; nonce?: number },
): Promise<Hex> {
  await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
  return chain.sendTransaction({ account: player.account, gas: 100_000n, ...fields })
}

/** A contract that forwards what it receives: CALL(gas, to, CALLVALUE, 0, 0, 0, 0). */
export async function deployForwarder(to: Address): Promise<Address> {
  const { address } = account(5)
  await chain.setCode({ address, bytecode: `0x60006000600060003473${to.slice(2)}5af100` as Hex })
  return address
}

/** Makes an address refuse every payment from now on. */
export async function deployRefusal(address: Address): Promise<void> {
  await chain.setCode({ address, bytecode: '0x60006000fd' })
}

export async function expectMismatch(answer: Promise<Answer>, reason: string): Promise<void> {
  const { status, body } = await answer
  expect([status, body.error?.code, body.error?.details]).toEqual([
    422,
    'payment_mismatch',
    { reason },
  ])
}

interface Call {
  method?: string
}

/** Makes the node lack what a method reads from now on, as one does that is behind; in batches too. */
export function nodeLacks(method: string): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init)
    if (typeof init?.body !== 'string' || !init.body.includes(`"${method}"`)) return answer
    const sent = JSON.parse(init.body) as Call | Call[]
    const calls = [sent].flat()
    const answers = [await answer.json<object>()].flat()
    const shown = answers.map((each, index) =>
      calls[index]?.method === method ? { ...each, result: null } : each,
    )
    return Response.json(Array.isArray(sent) ? shown : shown[0])
  })
}
