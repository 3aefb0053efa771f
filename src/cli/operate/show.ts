import { styleText } from 'node:util'
import { recoverAddress, type Hex } from 'viem'
import { actHash } from '../../chain/operator-act.ts'
import { isoTime } from '../../core/utc-day.ts'
import type { PartName } from '../../health/health.ts'
import { wholeUnits } from '../../money/whole-units.ts'
import type { ActRecord } from '../../operator/approval.ts'
import { isNextEntry, type OperatorJournalEntry } from '../../operator/journal.ts'
import { EVERYTHING } from '../../operator/modes.ts'
import type { ActScope } from '../../operator/typed-data.ts'
import type { ModesVersion } from '../../operator/versions.ts'
import { showAmount } from '../shared/amounts.ts'
import { printableIn, printChecks } from '../shared/terminal.ts'
import type { State } from './session.ts'

export function showModes(told: ModesVersion | null): void {
  const version = printableIn(told)
  const modes = Object.entries(version?.modes ?? {})
  if (modes.length === 0) console.log('Everything is open.')
  for (const [name, mode] of modes) console.log(`${name}: ${mode}`)
  for (const [name, value] of Object.entries(version?.terms ?? {})) {
    console.log(`${name}: ${JSON.stringify(value)}`)
  }
  if (version) {
    console.log(`Version ${version.number}, in effect from ${isoTime(version.takesEffectAt)}.`)
  }
}

export function showActs({ waiting, decided }: State['acts']): void {
  console.log(waiting.length === 0 ? 'No act waits for another operator.' : 'Waiting:')
  for (const act of waiting) showAct(act)
  if (decided.length > 0) console.log('Decided:')
  for (const act of decided) showAct(act)
}

/** Prints an act on some lines, and how to confirm it if it waits. */
export function showAct(told: ActRecord): void {
  const { act, target, reason, hash, approvals, ...kept } = printableIn(told)
  console.log(`  ${styleText('bold', `${act} ${target}`)}: ${reason}`)
  for (const { operator, role, at } of approvals) {
    console.log(`    signed by ${operator} (${role}) at ${isoTime(at)}`)
  }
  if (kept.decidedAt === null) {
    console.log(
      `    expires at ${isoTime(kept.expiresAt * 1_000)}: npm run operate -- confirm ${hash}`,
    )
  } else {
    console.log(`    ${kept.result?.message ?? 'in progress'}`)
  }
}

/** The event whose age each part of the health answer has. */
const EVENTS: Readonly<Record<string, string>> = {
  table: 'newest round',
  beacon: 'newest beacon published',
  chain: 'last read',
  relayer: 'oldest payment ordered',
  bankroll: 'counted',
  outboxes: 'oldest late update',
  control: 'as of',
  log: 'archive began to fail',
  exports: 'newest exported day ended',
  books: 'newest counted day ended',
  solvency: 'counted',
} satisfies Record<PartName, string>

export function showStatus(state: State): void {
  const { operator, health, stuck, reserve, version, acts } = printableIn(state)
  console.log(`You are ${operator.wallet}, ${operator.role}.`)
  console.log(health.status === 'up' ? 'All parts are up.' : 'Some parts are degraded:')
  for (const [name, { status, message, ageMs }] of Object.entries(health.parts)) {
    const event = EVENTS[name] ?? 'as of'
    const age = ageMs === null ? '' : `, ${event} ${Math.round(ageMs / 1_000)} s ago`
    const line = `  ${name}: ${status}${age}${message === null ? '' : `: ${message}`}`
    console.log(status === 'degraded' ? styleText('red', line) : line)
  }
  if (reserve) {
    const [balance, least] = [reserve.balanceWei, reserve.reserveWei].map((wei) =>
      wei === null ? 'unknown' : showAmount(BigInt(wei), 'ETH'),
    )
    console.log(`Relayer: ${balance}; its reserve is ${least}.`)
    console.log(
      `Waiting for payment: withdrawals ${reserve.withdrawalsWaiting}, prizes ${reserve.prizesWaiting}.`,
    )
    if (reserve.poolWei) {
      const { ETH, REWARD } = reserve.poolWei
      const rewards = wholeUnits(BigInt(REWARD), 'ETH')
      console.log(`Prize pool: ${showAmount(BigInt(ETH), 'ETH')} and ${rewards} reward tokens.`)
    }
    if (reserve.isVaultPaused) console.log(styleText('red', 'The vault is paused.'))
  }
  for (const { class: kind, name, messages, since } of stuck) {
    console.log(
      styleText('red', `Stuck since ${isoTime(since)}: ${kind} ${name}, messages: ${messages}`),
    )
  }
  showModes(version)
  if (version?.modes[EVERYTHING] !== undefined) {
    const count = state.walletsInPlay ?? 'unknown'
    console.log(`Wallets with something in play: ${count}, by positions at most ten minutes old.`)
  }
  if (acts.waiting.length > 0) showActs({ waiting: acts.waiting, decided: [] })
}

/**
 * Prints the journal and checks it.
 * @param scopes the scopes that acts are and were signed for, the current one first
 * @param contracts the contract wallets of operators, in EIP-55 form, whose signatures only they can check
 * @returns whether it holds
 */
export async function showJournal(
  scopes: readonly ActScope[],
  entries: OperatorJournalEntry[],
  contracts: readonly string[],
): Promise<boolean> {
  const unsigned: OperatorJournalEntry[] = []
  for (const entry of entries) {
    const { number, at, operator, role, act } = printableIn(entry)
    console.log(
      `${number} ${isoTime(at)} ${operator} (${role}): ${act.act} ${act.target}: ${act.reason}`,
    )
    if (!(await isSigned(entry))) unsigned.push(entry)
  }
  const isChained = entries.every((entry, index) => isNextEntry(entries[index - 1] ?? null, entry))
  const misnamed = entries.filter(
    ({ act, actHash: hash }) => !scopes.some((scope) => actHash(scope, act) === hash),
  )
  for (const { number } of misnamed) {
    console.log(
      `Entry ${number} was signed for another site, vault or chain, or its act was changed. If OPERATE_ORIGIN, VAULT_ADDRESS or CHAIN_ID was another one then, pass it with --origin, --vault or --chain.`,
    )
  }
  const forged = unsigned.filter(({ operator }) => !contracts.includes(operator))
  for (const entry of unsigned) {
    const { number, operator } = printableIn(entry)
    console.log(
      forged.includes(entry)
        ? `Entry ${number} is not signed by the key of ${operator}. If that is a contract wallet, pass --contract ${operator} and ask it.`
        : `Entry ${number} is by the contract wallet ${operator}. Ask it whether the signature is right.`,
    )
  }
  const site = scopes.length > 1 ? 'this site or a former one that you named' : 'this site'
  return printChecks(
    [
      {
        claim: `${entries.length} entries, each with the hash of the one before it`,
        holds: isChained,
      },
      {
        claim: `each hash of an act is the hash of that act, for ${site}`,
        holds: misnamed.length === 0,
      },
      {
        claim:
          contracts.length === 0
            ? 'each entry is signed by its operator'
            : 'each entry is signed by its operator, or is by a contract wallet that you named',
        holds: forged.length === 0,
      },
    ],
    'The journal holds.',
    'The journal failed its checks.',
  )
}

/** Returns whether the operator of an entry has signed its hash, whatever that is the hash of. */
async function isSigned({
  actHash: hash,
  operator,
  signature,
}: OperatorJournalEntry): Promise<boolean> {
  try {
    const signer = await recoverAddress({ hash: hash as Hex, signature: signature as Hex })
    return signer === operator
  } catch {
    return false
  }
}
