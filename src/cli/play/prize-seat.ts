import type { Hex } from 'viem'
import type { Check } from '../../fairness/check.ts'
import { ChainAccount } from '../shared/chain-account.ts'
import type { Client } from '../shared/client.ts'
import { findPrizes, MANIFEST, type PrizeAccess } from '../shared/manifest.ts'
import { CommandError, type LiveLine, printChecks, say } from '../shared/terminal.ts'

/** The resources to play for prizes. */
export interface PrizeSeat {
  client: Client
  account: ChainAccount
  access: PrizeAccess
  line: LiveLine
}

/** Prepares to play for prizes. @throws CommandError unless the service is the one of npm run dev */
export async function takePrizeSeat(client: Client, key: Hex, line: LiveLine): Promise<PrizeSeat> {
  const access = await findPrizes(client.baseUrl)
  if (!access) {
    throw new CommandError(
      `This game needs the chain of npm run dev, but ${MANIFEST} has none for this service. Start npm run dev.`,
    )
  }
  return { client, access, line, account: new ChainAccount(access.rpcUrl, key) }
}

/** Asserts, before anything is sent, that the service asks for the right thing. @throws CommandError if not */
export function expectSame<T>(what: string, asked: T, expected: T): void {
  if (asked === expected) return
  throw new CommandError(
    `The service says that ${what} is ${String(asked)}, but it should be ${String(expected)}. Nothing was sent. Check --url.`,
  )
}

/** Prints the checks, and the command for the remaining ones. @returns whether every check passed */
export function conclude(
  checks: Check[],
  { prize, later, verify }: { prize: string; later: string; verify: string },
): boolean {
  const isHeld = printChecks(
    checks,
    `You won ${prize}, and every check so far passed.`,
    'Some checks failed. Keep this output as evidence.',
  )
  say(`${later}:`)
  say(`  npm run verify -- ${verify}`)
  say()
  return isHeld
}
