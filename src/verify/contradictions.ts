import { canonicalJson } from '../core/canonical-json.ts'
import { isoTime } from '../core/utc-day.ts'
import type { Receipt } from '../receipts/claims.ts'
import { outOfOrder } from './journal-order.ts'

/** A receipt's facts about a subject. Only one version of them can be true. */
interface Statement {
  /** Receipts of the same site with the same subject must state the same facts. */
  subject: string
  facts: Record<string, unknown>
}

/** Two receipts that can't both be true. */
interface Contradiction {
  /** The positions of the two receipts. */
  between: [number, number]
  /** The subject that they contradict each other on, with the facts of each. */
  claim: string
}

/**
 * Finds the receipts that contradict each other: proof of a breach, since the house signed both.
 * @param receipts with verified signatures
 */
export function contradictionsOf(receipts: readonly Receipt[]): Contradiction[] {
  const found = new Map<string, Contradiction>()
  const first = new Map<string, { index: number; facts: Statement['facts'] }>()
  for (const [index, receipt] of receipts.entries()) {
    for (const { subject, facts } of statementsOf(receipt)) {
      const key = `${receipt.iss} ${subject}`
      const known = first.get(key)
      if (!known) {
        first.set(key, { index, facts })
        continue
      }
      const claim = differenceOf(subject, known.facts, facts)
      const pair = `${known.index} ${index}`
      // Two receipts that differ in one fact often differ in others that follow from it.
      if (claim !== null && !found.has(pair)) {
        found.set(pair, { between: [known.index, index], claim })
      }
    }
  }
  for (const contradiction of disordersIn(receipts)) {
    const pair = contradiction.between.join(' ')
    if (!found.has(pair)) found.set(pair, contradiction)
  }
  return [...found.values()]
}

/** Finds the receipts of a journal whose dates are not in the order of its entries. */
function disordersIn(receipts: readonly Receipt[]): Contradiction[] {
  const journals = new Map<string, { index: number; sub: string; seq: number; from: number }[]>()
  for (const [index, { iss, sub, seq, iat }] of receipts.entries()) {
    const entries = journals.get(`${iss} ${sub}`) ?? []
    journals.set(`${iss} ${sub}`, entries)
    entries.push({ index, sub, seq, from: iat * 1_000 })
  }
  return [...journals.values()].flatMap(outOfOrder).map(([earlier, later]) => ({
    between: [Math.min(earlier.index, later.index), Math.max(earlier.index, later.index)],
    claim: `the journal of ${earlier.sub}: entry ${earlier.seq} was made at ${isoTime(earlier.from)}, and entry ${later.seq} only later, at ${isoTime(later.from)}`,
  }))
}

function differenceOf(
  subject: string,
  some: Statement['facts'],
  others: Statement['facts'],
): string | null {
  const names = new Set([...Object.keys(some), ...Object.keys(others)])
  const shown = (facts: Statement['facts'], name: string) => canonicalJson(facts[name] ?? null)
  const name = [...names].find((each) => shown(some, each) !== shown(others, each))
  if (name === undefined) return null
  return `${subject}: ${name} is ${shown(some, name)} in one and ${shown(others, name)} in the other`
}

/** A receipt's statements, by subject. The most telling subject stands first. */
function statementsOf(receipt: Receipt): Statement[] {
  const { sub } = receipt
  return [
    ...commitmentsOf(receipt),
    deedOf(receipt),
    ...movementsOf(receipt),
    {
      subject: `entry ${receipt.seq} of the journal of ${sub}`,
      facts: { entry: receipt.entry, operation: operationOf(receipt) },
    },
    ...owedIn(receipt),
  ]
}

/** The debt to the wallet after an entry, which is missing from a partner's receipt. */
function owedIn({ sub, seq, owed }: Receipt): Statement[] {
  return owed ? [{ subject: `what ${sub} was owed after entry ${seq}`, facts: { owed } }] : []
}

/**
 * Returns the name of the operation that an entry carries out. The pick that ends a game settles it as a play, so
 * that a cash-out of a game that its last pick has won names the same entry. No other two receipts may share one.
 */
function operationOf(receipt: Receipt): string {
  const isEnd = receipt.kind === 'mines-pick' && receipt.game.next === null
  return isEnd ? `play ${receipt.game.nonce} of ${receipt.sub}` : nameOf(receipt)
}

/** The commitments that a receipt names, which bind other receipts too. */
function commitmentsOf(receipt: Receipt): Statement[] {
  const { sub } = receipt
  if (receipt.kind === 'bet') {
    const { roundId, seedHash, pepperSource } = receipt
    return [{ subject: `the plan of round ${roundId}`, facts: { seedHash, pepperSource } }]
  }
  const committedIn = isOfGame(receipt) ? receipt.game : receipt.kind === 'play' ? receipt : null
  if (!committedIn) return []
  const { nonce, seedHash, nextSeedHash } = committedIn
  const committed = (next: number) => `the commitment of play ${next} of ${sub}`
  return [
    { subject: committed(nonce), facts: { seedHash } },
    { subject: committed(nonce + 1), facts: { seedHash: nextSeedHash } },
    ...(isOfGame(receipt) ? [openingOf(receipt)] : []),
  ]
}

/** The facts of a game's opening that every step repeats. A house could change it to end the game for its player. */
function openingOf({ sub, game }: Extract<Receipt, { game: object }>): Statement {
  const { nonce, openedAt, maxPicks, mines, token, amountWei, clientSeed } = game
  const facts = { openedAt, maxPicks, mines, token, amountWei, clientSeed }
  return { subject: `game ${nonce} of ${sub}`, facts }
}

/**
 * The statements of a partner's receipt on the transaction that its rollback undoes: the amount, and that nothing else
 * undoes it.
 */
function movementsOf(receipt: Receipt): Statement[] {
  if (receipt.kind !== 'transaction' && receipt.kind !== 'rollback') return []
  const { sub, partner, currency } = receipt
  const amountWei = BigInt(receipt.amountWei)
  const movedBy = (id: string, wei: bigint) => ({
    subject: `what transaction ${id} of ${partner} moved`,
    facts: { sub, currency, amountWei: wei.toString() },
  })
  if (receipt.kind === 'transaction') return [movedBy(receipt.partnerTransactionId, amountWei)]
  // A rollback that moved nothing may follow another, or come before its original.
  if (amountWei === 0n) return []
  const { originalTransactionId: id, partnerTransactionId: rollback } = receipt
  return [
    movedBy(id, -amountWei),
    { subject: `the rollback that undid transaction ${id} of ${partner}`, facts: { rollback } },
  ]
}

function isOfGame(receipt: Receipt): receipt is Extract<Receipt, { game: object }> {
  return receipt.kind === 'mines-open' || receipt.kind === 'mines-pick'
}

/** All statements of a receipt on its operation, which a repeated call's receipt repeats. */
function deedOf(receipt: Receipt): Statement {
  const { iss: _iss, owed: _owed, ...facts } = receipt
  return { subject: nameOf(receipt), facts }
}

/** Returns the name of a receipt's subject, which no other receipt of the site may share. */
export function nameOf(receipt: Receipt): string {
  const { sub } = receipt
  switch (receipt.kind) {
    case 'bet':
      return `the bet of ${sub} in round ${receipt.roundId}`
    case 'cashout':
      return `the cash-out of ${sub} in round ${receipt.roundId}`
    case 'play':
      return `play ${receipt.nonce} of ${sub}`
    case 'mines-open':
      return `the opening of game ${receipt.game.nonce} of ${sub}`
    case 'mines-pick':
      return `pick ${receipt.game.picked.length} of game ${receipt.game.nonce} of ${sub}`
    case 'withdrawal':
      return `withdrawal ${receipt.nonce} of ${sub}`
    // They share their ids.
    case 'transaction':
    case 'rollback':
      return `transaction ${receipt.partnerTransactionId} of ${receipt.partner}`
  }
}
