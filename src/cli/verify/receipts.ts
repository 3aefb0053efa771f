import { OWN_CLOCK_SKEW_MS } from '../../core/age.ts'
import { capital, listed } from '../../core/words.ts'
import type { Check } from '../../fairness/check.ts'
import { MAX_OPEN_MS, type MinesGame } from '../../games/mines/open.ts'
import { TILES } from '../../games/mines/rule.ts'
import { TOKENS } from '../../money/token.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { isSignedWith, parseJws, type Jws } from '../../receipts/jws.ts'
import { contradictionsOf, nameOf } from '../../verify/contradictions.ts'
import { verifySignature, type SignedReceipt } from '../../verify/receipt-signature.ts'
import type { GameEnd } from '../../verify/receipt.ts'
import { showAmount } from '../shared/amounts.ts'
import { CommandError, printCheck, say } from '../shared/terminal.ts'
import { missingPlays } from './missing-plays.ts'
import { readReceipt } from './receipt-claims.ts'
import { ReceiptEvidence, type PinnedKeys } from './receipt-evidence.ts'
import { noLog } from './site-log.ts'

/** The findings on a receipt. */
interface Finding extends SignedReceipt {
  name: string
  isSigned: boolean
  checks: Check[]
  /** Why it was not checked against a disclosure; null if it was. */
  waiting: string | null
  isUnreached: boolean
  /** Whether it is a bet whose round was voided. */
  isVoided: boolean
  /** The multiplier at which the player of a bet cashed out, by the disclosure; null if nobody says so. */
  claimedCashout: number | null
  /** How a game of mines ended, by the disclosure; null if it is of anything else. */
  gameEnd: GameEnd | null
}

/**
 * Verifies receipts: whether the house signed them, and whether it kept its word.
 * @param site the origin that must have issued them; null for the one that each names, which is then asked
 * @returns the exit code
 * @throws CommandError if one fails, is not a receipt or of another site, or if its keys can't be read
 */
export async function verifyReceipts(
  texts: readonly string[],
  pinned: PinnedKeys,
  site: string | null = null,
): Promise<number> {
  const evidence = new ReceiptEvidence(pinned)
  const findings: Finding[] = []
  const { receipts, malformed } = readAll(texts)
  for (const { receipt } of receipts) expectOf(site, receipt)
  for (const receipt of receipts) findings.push(await examine(receipt, evidence))
  findings.forEach(print)
  const signed = findings.filter(({ isSigned }) => isSigned)
  const breaches = [...brokenWords(signed), ...contradictions(signed)]
  for (const breach of breaches) say(`Proof of a breach: ${breach}`, 'red')
  const plays = await missingPlays(
    signed.map(({ receipt }) => receipt),
    (receipt) => evidence.countOfPlays(receipt),
  )
  for (const doubt of [...doubts(signed), ...plays.doubts]) say(doubt, 'yellow')
  const forged = findings.filter(({ isSigned }) => !isSigned).map(({ name }) => name)
  if (forged.length > 0) {
    say(`No proof of anything, because the house did not sign it: ${forged.join(', ')}.`)
  }
  const odd: Malformed[] = []
  const unreadable: Malformed[] = []
  for (const each of malformed) {
    const named = [...receipts.map(({ receipt }) => receipt.iss), ...namedBy(each)]
    const sites = site === null ? named : [site]
    const isSigned = await isSignedAtAny(sites, each, evidence)
    ;(isSigned ? odd : unreadable).push(each)
    say(each.problem, isSigned ? 'red' : 'yellow')
  }
  if (breaches.length + forged.length + odd.length > 0) {
    throw new CommandError('\nNot verified: at least one receipt failed. Keep it as evidence.')
  }
  if (unreadable.length > 0) {
    throw new CommandError(
      `\nNot verified: can't read ${unreadable.map(({ name }) => name).join(', ')}. No key of the house is known to have signed this text, so it proves nothing. If it was cut or damaged, copy it again.`,
    )
  }
  const unreached = [
    ...findings.filter(({ isUnreached }) => isUnreached).map(({ name }) => name),
    ...plays.uncounted,
  ]
  if (unreached.length > 0) {
    throw new CommandError(
      `\nNot verified, which proves nothing yet: ${unreached.join(', ')}. Try again later.`,
    )
  }
  const sites = [...evidence.withoutLog]
  for (const each of sites) say(noLog(new URL(each)), 'yellow')
  say()
  say(summaryOf(findings), sites.length > 0 ? 'yellow' : 'green')
  if (site === null) say(NAMED_BY_RECEIPTS)
  return 0
}

/** A text that is not a receipt. */
interface Malformed {
  name: string
  problem: string
  /** Null if it is not even signed in the right form. */
  jws: Jws | null
}

/** Reads receipts. A house could sign a malformed one, which must not keep the others from being verified. */
function readAll(texts: readonly string[]): { receipts: SignedReceipt[]; malformed: Malformed[] } {
  const receipts: SignedReceipt[] = []
  const malformed: Malformed[] = []
  for (const [index, text] of texts.entries()) {
    try {
      receipts.push(readReceipt(text))
    } catch (fault) {
      if (!(fault instanceof CommandError)) throw fault
      const name = `receipt ${index + 1} of ${texts.length}, ${text.slice(0, SHOWN_CHARS)}…`
      const problem = `${capital(name)}: ${fault.message}`
      malformed.push({ name, problem, jws: parseJws(text) })
    }
  }
  return { receipts, malformed }
}

/** Returns the site that a malformed receipt names, if it does. */
function namedBy({ jws }: Malformed): string[] {
  const { iss } = Object(jws?.payload) as { iss?: unknown }
  return typeof iss === 'string' && URL.canParse(iss) ? [iss] : []
}

/** Returns whether a house has signed a malformed receipt. Otherwise it is only damaged. */
async function isSignedAtAny(
  sites: readonly string[],
  { jws }: Malformed,
  evidence: ReceiptEvidence,
): Promise<boolean> {
  if (!jws) return false
  const { kid } = Object(jws.header) as { kid?: unknown }
  for (const iss of new Set(sites)) {
    const keys = await evidence.keys(iss, String(kid)).catch(() => [])
    if (keys.some((key) => isSignedWith(jws, key))) return true
  }
  return false
}

const SHOWN_CHARS = 40

/** A site that a receipt names could disclose only facts that suit it. */
function expectOf(site: string | null, receipt: Receipt): void {
  if (site === null || receipt.iss === site) return
  throw new CommandError(
    `The receipt of ${nameOf(receipt)} was issued by ${receipt.iss}, not by ${site}.`,
  )
}

const NAMED_BY_RECEIPTS =
  'That is the site that the receipts name. Compare it with the address at which you play, or add --site URL.'

function summaryOf(findings: readonly Finding[]): string {
  const checked = findings.filter(({ waiting }) => waiting === null).length
  const others = findings.length - checked
  const more = others === 0 ? '' : ` Only the signature checked: ${others}.`
  const kept = checked === 0 ? 'the house signed this' : 'the house kept its word'
  const voided = findings.filter(({ isVoided }) => isVoided).length
  const returned = voided === 0 ? '' : ` Bets in voided rounds, whose stakes returned: ${voided}.`
  const asked = [...new Set(findings.map(({ receipt }) => receipt.iss))].join(', ')
  return `Verified: ${kept}. Receipts checked: ${checked}.${more}${returned} Site asked: ${asked}.`
}

async function examine(signed: SignedReceipt, evidence: ReceiptEvidence): Promise<Finding> {
  const { receipt } = signed
  const checks = verifySignature(signed, await evidence.keys(receipt.iss, signed.kid))
  const finding = {
    ...signed,
    name: nameOf(receipt),
    checks,
    claimedCashout: null,
    waiting: null,
    isUnreached: false,
    isVoided: false,
    gameEnd: null,
  }
  if (checks.some(({ holds }) => !holds)) return { ...finding, isSigned: false }
  const disclosed = await evidence.checks(signed)
  return { ...finding, ...disclosed, isSigned: true, checks: [...checks, ...disclosed.checks] }
}

function print({ name, receipt, checks, waiting }: Finding): void {
  const { seq, iss, owed } = receipt
  const after = owed
    ? `, after which it was owed ${listed(TOKENS.map((token) => showAmount(BigInt(owed[token]), token)))}`
    : ''
  const title = `${capital(name)}, entry ${seq} of the wallet’s journal${after}, ${iss}`
  say(title, 'bold')
  checks.forEach(printCheck)
  if (waiting !== null) say(`  ${waiting}`)
}

/** Returns the statements of signed receipts that disclosures contradict. */
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

/**
 * Returns the facts that only the player can confirm: on voided rounds, on cash-outs by hand, and on games that ended
 * without a receipt.
 */
function doubts(findings: readonly Finding[]): string[] {
  const voided = findings.filter(({ isVoided }) => isVoided)
  return [
    ...voided.map(({ name }) => `${capital(name)}: ${VOIDED}`),
    ...claimedCashouts(findings),
    ...endedGames(findings),
  ]
}

const VOIDED =
  'its round was voided, and its stake returned. The house says that it got no beacon in time. If it took the beacon from you, or refused a genuine one in time, the void is false.'

/**
 * The house issues the receipts of cash-outs, to anyone who asks how a bet ended. So one is no sign of its player's
 * will.
 */
function claimedCashouts(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ name, receipt, claimedCashout }) =>
    receipt.kind !== 'bet' || claimedCashout === null
      ? []
      : [
          `${capital(name)}: the disclosure says that it cashed out at ${claimedCashout}x on request. The receipt proves the payout, not who asked. If neither you nor a program of yours, such as npm run play, did, the house forced it, though no limit required it.`,
        ],
  )
}

/** The house knows the mines: it could end a game on one, or cash it out before a pick that is safe. */
function endedGames(findings: readonly Finding[]): string[] {
  const found = new Map<string, { game: MinesGame; end: GameEnd; receipted: number }>()
  for (const { receipt, gameEnd: end } of findings) {
    if (!end || (receipt.kind !== 'mines-open' && receipt.kind !== 'mines-pick')) continue
    const { game } = receipt
    const name = gameName(receipt, game)
    const receipted = Math.max(game.picked.length, found.get(name)?.receipted ?? 0)
    found.set(name, { game, end, receipted })
  }
  const cashedOut = new Set(
    findings.flatMap(({ receipt }) =>
      receipt.kind === 'play' ? [gameName(receipt, receipt)] : [],
    ),
  )
  return [...found].flatMap(([name, { game, end, receipted }]) => {
    const doubt = end.isLost
      ? addedPick(end, receipted)
      : cashedOut.has(name)
        ? null
        : earlyEnd(game, end, Date.now())
    return doubt === null ? [] : [`${name}: the disclosure says that it ${doubt}`]
  })
}

function gameName({ sub, iss }: Receipt, { nonce }: { nonce: number }): string {
  return `Game ${nonce} of ${sub} at ${iss}`
}

function addedPick({ picked }: GameEnd, receipted: number): string | null {
  if (receipted >= picked.length) return null
  return `was lost with pick ${picked.length}, tile ${picked.at(-1)}, but you gave no receipt of that pick. If you did not pick that tile, the house added it.`
}

/** A call to cash out is answered with the receipt of a play, which the house has no other reason to issue. */
function earlyEnd(
  { openedAt, maxPicks, mines }: MinesGame,
  { picked, settledAt }: GameEnd,
  now: number,
): string | null {
  if (picked.length >= maxPicks) return maxPicks < TILES - mines ? endedByLimit(maxPicks) : null
  const openMs = Math.min(settledAt, now + OWN_CLOCK_SKEW_MS) - openedAt
  if (openMs >= MAX_OPEN_MS) return null
  const after = `${Math.floor(openMs / 1_000)} seconds after it opened`
  return picked.length === 0
    ? `returned its stake ${after}. If you did not exclude yourself, the house ended it.`
    : `was cashed out ${after}, with ${picked.length} picks, but you gave no receipt of that. If you neither cashed out nor excluded yourself, the house ended it.`
}

/** A receipt has the limit that the house took, not the one that its player asked for. */
function endedByLimit(maxPicks: number): string {
  const picks = maxPicks === 1 ? '1 pick' : `${maxPicks} picks`
  return `was cashed out with its last pick, because the house set the limit of ${picks}. If neither you nor the page asked for that limit, the house ended it.`
}

/** Returns the statements of signed receipts that other receipts contradict. */
function contradictions(findings: readonly Finding[]): string[] {
  const found = contradictionsOf(findings.map(({ receipt }) => receipt))
  return found.map(({ claim, between }) => {
    const entries = between.map((index) => `${findings[index]?.name} (${findings[index]?.kid})`)
    return `${claim}. The house signed both receipts: ${entries.join(' and ')}.`
  })
}
