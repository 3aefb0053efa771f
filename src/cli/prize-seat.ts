import type { Hex } from 'viem'
import type { Check } from '../fairness/check.ts'
import { ChainAccount } from './chain-account.ts'
import type { Client } from './client.ts'
import { findPrizes, MANIFEST, type PrizeAccess } from './manifest.ts'
import { checkLine, CommandError, type LiveLine } from './terminal.ts'

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

/** Says what was checked, one line each. */
export function isAllHeld(checks: Check[]): boolean {
  for (const check of checks) console.log(checkLine(check))
  return checks.every(({ holds }) => holds)
}
