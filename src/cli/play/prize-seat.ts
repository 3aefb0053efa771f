import { styleText } from 'node:util'
import type { Hex } from 'viem'
import type { Check } from '../../fairness/check.ts'
import { ChainAccount } from '../shared/chain-account.ts'
import type { Client } from '../shared/client.ts'
import { findPrizes, MANIFEST, type PrizeAccess } from '../shared/manifest.ts'
import { checkLine, CommandError, type LiveLine } from '../shared/terminal.ts'

/** Everything that prizes are played for with. */
export interface PrizeSeat {
  client: Client
  account: ChainAccount
  access: PrizeAccess
  line: LiveLine
}

/** @throws CommandError at any other service than the one of npm run dev */
export async function takePrizeSeat(client: Client, key: Hex, line: LiveLine): Promise<PrizeSeat> {
  const access = await findPrizes(client.baseUrl)
  if (!access) {
    throw new CommandError(`This needs the chain of npm run dev: no ${MANIFEST} names one.`)
  }
  return { client, access, line, account: new ChainAccount(access.rpcUrl, key) }
}

/** Before anything is sent. @throws CommandError where the service asks for something else */
export function expectSame<T>(what: string, asked: T, expected: T): void {
  if (asked === expected) return
  throw new CommandError(
    `The service says that ${what} is ${String(asked)}, and it should be ${String(expected)}. Nothing was sent.`,
  )
}

/** Says what holds, and with which command the rest can be checked when. */
export function conclude(
  checks: Check[],
  { prize, later, verify }: { prize: string; later: string; verify: string },
): boolean {
  for (const check of checks) console.log(checkLine(check))
  const isHeld = checks.every(({ holds }) => holds)
  const verdict = isHeld
    ? styleText('green', `You won ${prize}, and everything holds so far.`)
    : styleText('red', 'Not everything holds. Keep this output.')
  console.log(`${verdict}\n${later}:\n  npm run verify -- ${verify}\n`)
  return isHeld
}
