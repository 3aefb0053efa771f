import { capital } from '../../core/words.ts'
import type { Check } from '../../fairness/check.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { contradictionsOf, nameOf } from '../../verify/contradictions.ts'
import { verifySignature, type SignedReceipt } from '../../verify/receipt.ts'
import { CommandError, printCheck, say } from '../shared/terminal.ts'
import { readReceipt } from './receipt-claims.ts'
import { ReceiptEvidence, type PinnedKeys } from './receipt-evidence.ts'
import { noLog } from './site-log.ts'

/** What was found about a receipt. */
interface Finding extends SignedReceipt {
  name: string
  isSigned: boolean
  checks: Check[]
  /** Why it was not checked against a disclosure; null if it was. */
  waiting: string | null
  isUnreached: boolean
  /** The multiplier at which the player of a bet cashed out, by the disclosure; null if nobody says so. */
  claimedCashout: number | null
}

/**
 * Verifies receipts: whether the house signed them, and whether it kept its word.
 * @returns the exit code
 * @throws CommandError if one is not a receipt, or its keys can't be read
 */
export async function verifyReceipts(
  texts: readonly string[],
  pinned: PinnedKeys,
): Promise<number> {
  const evidence = new ReceiptEvidence(pinned)
  const findings: Finding[] = []
  for (const text of texts) findings.push(await examine(readReceipt(text), evidence))
  findings.forEach(print)
  const signed = findings.filter(({ isSigned }) => isSigned)
  const breaches = [...brokenWords(signed), ...contradictions(signed)]
  for (const breach of breaches) say(`Proof of a breach: ${breach}`, 'red')
  for (const doubt of doubts(signed)) say(doubt, 'yellow')
  const forged = findings.filter(({ isSigned }) => !isSigned).map(({ name }) => name)
  if (forged.length > 0) {
    say(`No proof of anything, because the house did not sign it: ${forged.join(', ')}.`)
  }
  if (breaches.length + forged.length > 0) {
    throw new CommandError('\nNot verified: at least one receipt failed. Keep it as evidence.')
  }
  const unreached = findings.filter(({ isUnreached }) => isUnreached).map(({ name }) => name)
  if (unreached.length > 0) {
    throw new CommandError(
      `\nNot verified, which proves nothing yet: ${unreached.join(', ')}. Try again later.`,
    )
  }
  const sites = [...evidence.withoutLog]
  for (const site of sites) say(noLog(new URL(site)), 'yellow')
  say()
  say(summaryOf(findings), sites.length > 0 ? 'yellow' : 'green')
  return 0
}

function summaryOf(findings: readonly Finding[]): string {
  const checked = findings.filter(({ waiting }) => waiting === null).length
  const others = findings.length - checked
  const more = others === 0 ? '' : ` Only the signature checked: ${others}.`
  const kept = checked === 0 ? 'the house signed this' : 'the house kept its word'
  return `Verified: ${kept}. Receipts checked: ${checked}.${more}`
}

async function examine(signed: SignedReceipt, evidence: ReceiptEvidence): Promise<Finding> {
  const { receipt } = signed
  const checks = verifySignature(signed, await evidence.keys(signed))
  const finding = {
    ...signed,
    name: nameOf(receipt),
    ...{ checks, claimedCashout: null, waiting: null, isUnreached: false },
  }
  if (checks.some(({ holds }) => !holds)) return { ...finding, isSigned: false }
  const disclosed = await evidence.checks(signed)
  return { ...finding, ...disclosed, isSigned: true, checks: [...checks, ...disclosed.checks] }
}

function print({ name, receipt, checks, waiting }: Finding): void {
  const title = `${capital(name)}, entry ${receipt.seq} of the wallet’s journal, ${receipt.iss}`
  say(title, 'bold')
  checks.forEach(printCheck)
  if (waiting !== null) say(`  ${waiting}`)
}

/** Returns what signed receipts say and disclosures contradict. */
function brokenWords(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ name, kid, checks }) =>
    checks
      .filter(({ holds }) => !holds)
      .map(
        ({ claim }) =>
          `${name}: the house signed its receipt with the key ${kid}, and its disclosure fails: ${claim}.`,
      ),
  )
}

/** Returns what only the player can tell: the cash-outs by hand that the disclosures claim without a receipt. */
function doubts(findings: readonly Finding[]): string[] {
  const cashedOut = new Set(
    findings.flatMap(({ receipt }) => (receipt.kind === 'cashout' ? [roundOf(receipt)] : [])),
  )
  return findings.flatMap(({ name, receipt, claimedCashout }) =>
    receipt.kind !== 'bet' || claimedCashout === null || cashedOut.has(roundOf(receipt))
      ? []
      : [
          `${capital(name)}: the disclosure says that its player cashed out at ${claimedCashout}x, but no receipt of that is here. If you did not cash out, the house forced it, and no limit required that.`,
        ],
  )
}

function roundOf({ iss, sub, roundId }: Extract<Receipt, { roundId: number }>): string {
  return `${iss} ${sub} ${roundId}`
}

/** Returns what signed receipts say and other receipts contradict. */
function contradictions(findings: readonly Finding[]): string[] {
  const found = contradictionsOf(findings.map(({ receipt }) => receipt))
  return found.map(({ claim, between }) => {
    const entries = between.map((index) => `${findings[index]?.name} (${findings[index]?.kid})`)
    return `${claim}. The house signed both receipts: ${entries.join(' and ')}.`
  })
}
