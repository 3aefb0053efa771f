import { readdirSync } from 'node:fs'
import { HOUSE, type Posting } from '../../src/ledger/accounts.ts'
import { TOKENS, type PerToken, type Token } from '../../src/money/token.ts'

export interface AuditedEntry {
  seq: number
  operationId: string
  request: string
  postings: Posting[]
  result: string
  at: number
}

export interface AuditedLedger {
  /** Its wallet, or `house`, if the auditor knows it. */
  name: string | null
  /** Why its books are wrong, or null. */
  problem: string | null
  balances: PerToken<Record<string, string>> | null
  /** When its alarm is due, in unix milliseconds; null if it has none. */
  alarmAt: number | null
  /** The secret of its next play. */
  nextSeed: string | null
  entries: AuditedEntry[]
}

/** A bet in its round. */
export interface AuditedBet extends Record<string, string | number | null> {
  wallet: string
  /** Its round, wallet and attempt, such as `12:0x…:0`. */
  betId: string
  token: string
  amountWei: string
  cashout: number | null
}

export interface AuditedRound {
  roundId: number
  seed: string
  pepper: string | null
  status: string
  endedAt: number | null
  bets: (AuditedBet & { ledgerId: string })[]
}

export interface AuditedDay {
  seed: string
}

/** Everything that a service's ledgers, rounds and days have stored. */
export interface Books {
  /** By the id of the object. */
  ledgers: Map<string, AuditedLedger>
  rounds: AuditedRound[]
  days: AuditedDay[]
}

/** Asks every ledger, round and day in a storage folder for its rows. @param wallets those it knows */
export async function auditAll(
  { baseUrl, auditPath, storage }: { baseUrl: string; auditPath: string; storage: string },
  wallets: readonly string[],
): Promise<Books> {
  // Rounds are numbered, and some have been erased.
  const most = 100 + 10 * idsOf(storage, 'CrashRound').length
  const namesOf: Record<string, string[]> = {
    LEDGER: [HOUSE, ...wallets],
    CRASH_ROUND: Array.from({ length: most }, (_, index) => String(index + 1)),
  }
  const ask = async <T>(binding: string, id: string): Promise<T> => {
    const names = namesOf[binding] ?? []
    const body = JSON.stringify({ binding, id, names })
    const response = await fetch(new URL(auditPath, baseUrl), { method: 'POST', body })
    if (!response.ok) throw new Error(`${binding} ${id} answers ${await response.text()}`)
    return (await response.json()) as T
  }
  const all = async <T>(binding: string, className: string): Promise<[string, T][]> => {
    const rows: [string, T][] = []
    for (const id of idsOf(storage, className)) {
      const row = await ask<T | null>(binding, id)
      if (row !== null) rows.push([id, row])
    }
    return rows
  }
  const rounds = await all<AuditedRound>('CRASH_ROUND', 'CrashRound')
  const days = await all<AuditedDay>('LOOTBOX_DAY', 'LootboxDay')
  return {
    ledgers: new Map(await all<AuditedLedger>('LEDGER', 'Ledger')),
    rounds: rounds.map(([, row]) => row),
    days: days.map(([, row]) => row),
  }
}

/** Returns the ids of a class's objects from the names of their databases. */
function idsOf(storage: string, className: string): string[] {
  return readdirSync(storage, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const [, folder, id] = /([^/\\]+)[/\\]([0-9a-f]{64})\.sqlite$/.exec(path) ?? []
    return id !== undefined && folder?.endsWith(`-${className}`) ? [id] : []
  })
}

/** Returns the total of an account over all ledgers, in smallest units. */
export function totalOf({ ledgers }: Books, token: Token, account: string): bigint {
  return [...ledgers.values()].reduce(
    (total, { balances }) => total + BigInt(balances?.[token][account] ?? 0),
    0n,
  )
}

/**
 * Returns what is wrong with the books in themselves: a journal that doesn't verify, accounts that don't sum
 * to zero, a bet that its round doesn't know or that ended differently there.
 */
export function problemsOf(books: Books): string[] {
  return [...books.ledgers]
    .flatMap(([id, ledger]) => [
      ...(ledger.problem === null ? [] : [`ledger ${id}: ${ledger.problem}`]),
      ...sumProblems(id, ledger),
    ])
    .concat(betProblems(books))
}

function sumProblems(id: string, { balances }: AuditedLedger): string[] {
  return TOKENS.flatMap((token) => {
    const sum = Object.values(balances?.[token] ?? {}).reduce((all, wei) => all + BigInt(wei), 0n)
    return sum === 0n ? [] : [`ledger ${id}: its ${token} accounts sum to ${sum}`]
  })
}

/** Compares every bet of every ledger with its round. */
function betProblems({ ledgers, rounds }: Books): string[] {
  const held = new Map([...ledgers].flatMap(([id, ledger]) => heldBets(id, ledger)))
  const problems: string[] = []
  for (const { roundId, status, bets } of rounds) {
    for (const { ledgerId, betId, token, amountWei, cashout } of bets) {
      const key = `${ledgerId}:${roundId}:${betId.split(':').at(-1)}`
      const bet = held.get(key)
      held.delete(key)
      const kinds = { crashed: cashout === null ? 'lost' : 'won', voided: 'voided', live: 'won' }
      const expected = kinds[status as keyof typeof kinds]
      if (bet?.token !== token || bet.amountWei !== amountWei) {
        problems.push(`bet ${betId}: its round has ${amountWei} ${token}, its ledger has not`)
      } else if (bet.status !== 'open' && bet.status !== expected) {
        problems.push(`bet ${betId}: its round says ${expected}, its ledger ${bet.status}`)
      }
    }
  }
  for (const [key, { status }] of held) {
    if (status !== 'open' && status !== 'never_placed') {
      problems.push(`bet ${key}: ${status} in its ledger, and its round does not know it`)
    }
  }
  return problems
}

interface HeldBet {
  token: string
  amountWei: string
  /** `open`, or the kind of its outcome. */
  status: string
}

/** Returns a ledger's bets by ledger, round and attempt. */
export function heldBets(ledgerId: string, { entries }: AuditedLedger): [string, HeldBet][] {
  const bets = new Map<string, HeldBet>()
  for (const { operationId, request, result } of entries) {
    const [kind, roundId, attempt] = operationId.split(':')
    const key = `${ledgerId}:${roundId}:${attempt}`
    if (kind === 'bet') {
      const [token, amountWei] = JSON.parse(request) as [string, string]
      bets.set(key, { token, amountWei, status: 'open' })
    } else if (kind === 'settle') {
      const bet = bets.get(key)
      if (bet) bet.status = (JSON.parse(result) as { kind: string }).kind
    }
  }
  return [...bets]
}
