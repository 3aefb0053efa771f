// npm run verify -- <file, URL or receipt>: verifies disclosures and receipts on this machine, trusting nobody.
import { capital } from '../core/words.ts'
import { needsBeacon } from './shared/local-site.ts'
import { CommandError, printCheck, runCommand, say } from './shared/terminal.ts'
import { loadEvidence, type Evidence } from './verify/evidence.ts'
import { readVerifyOptions } from './verify/options.ts'
import { receiptTexts } from './verify/receipt-sources.ts'
import { verifyReceipts } from './verify/receipts.ts'
import { verifySolvencyCommand } from './verify/solvency.ts'
import { otherSeedHash, verdictsOf, type Verdict } from './verify/verdicts.ts'
import type { Kind, VerifyTargets } from './verify/wanted.ts'

void runCommand(async () => {
  const [first, ...rest] = process.argv.slice(2)
  return first === 'solvency' ? verifySolvencyCommand(rest) : verifyResults()
})

async function verifyResults(): Promise<number> {
  const { source, sources, mayBeReceipts, site, pinned, wanted, seen } = readVerifyOptions()
  const receipts = mayBeReceipts ? await receiptTexts(sources) : null
  if (receipts) return verifyReceipts(receipts, pinned, site)
  if (site !== null) throw new CommandError('--site needs receipts.')
  if (sources.length > 1 || pinned.file !== null) {
    throw new CommandError('Only receipts can be verified together, or with --keys.')
  }
  const isLogged = wanted.only === 'round' || wanted.only === 'opening'
  if (pinned.logKey !== null && !(isLogged && /^https?:/.test(source))) {
    throw new CommandError(
      '--log-key needs receipts, or the URL of a service and --round N or --opening 0x….',
    )
  }
  const evidence = await loadEvidence(source, wanted, pinned.logKey, seen.paidAt)
  // A play has no pepper.
  const known = wanted.only === 'play' ? seen : { ...seen, needsBeacon: needsBeacon(source) }
  const verdicts = verdictsOf(evidence, { wanted, seen: known })
  const sawSomething = Object.keys(seen).length > 0
  const [verdict, ...others] = verdicts
  const isOneSeeded = verdict !== undefined && others.length === 0 && verdict.kind !== 'box'
  if (sawSomething && wanted.only === null && !isOneSeeded) {
    throw new CommandError(
      'The facts you saw belong to a single result. Add --round N, --bet N, --play N, --opening 0x… or --box ID.',
    )
  }
  if (verdicts.length === 0) throw new CommandError(nothingFound(wanted, evidence.waiting))

  for (const each of verdicts) {
    say(`${capital(each.name)}, ${each.title}`, 'bold')
    each.checks.forEach(printCheck)
    for (const text of otherSeedHash(each, seen)) say(`      ${text}`)
  }
  if (evidence.waiting.length > 0) {
    say('Not yet:')
    for (const line of listed(evidence.waiting)) say(`  ${line}`)
  }
  const failed = verdicts.filter(({ checks }) => checks.some(({ holds }) => !holds))
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ')
    throw new CommandError(`\nSome checks failed: see ${names}.`)
  }
  if (!/^https?:/.test(source) && hasCommittedPeppers(evidence)) say(COMMITTED, 'yellow')
  const { uncompared } = evidence
  if (uncompared) say(`Compared with no public log. ${uncompared.why}`, 'yellow')
  if (uncompared?.isUnreached) {
    throw new CommandError('\nNot verified, which proves nothing yet. Try again later.')
  }
  const result = verdicts.length === 1 ? 'the result is' : 'all results are'
  say()
  say(
    `Verified: ${result} correct${uncompared ? ', by what this site alone told you' : ''}. ${counts(verdicts)}`,
    uncompared ? 'yellow' : 'green',
  )
  if (!sawSomething) {
    say(
      'To check against what you saw beforehand, add --seed-hash H with --round, --bet, --play or --opening, or --pepper H and --tiers B:P,… with --box.',
    )
  }
  return 0
}

/** Returns whether a pepper was a secret of the house. */
function hasCommittedPeppers({ rounds, voided, bets, openings }: Evidence): boolean {
  const spins = openings.flatMap(({ from }) => ('pepper' in from ? [from] : []))
  return [...rounds, ...voided, ...bets, ...spins].some(
    ({ pepperSource }) => pepperSource.kind === 'committed',
  )
}

const COMMITTED =
  'A pepper here is a secret of the house, so the house knew the outcome beforehand. Only local play may use one: if this comes from a site, the house has broken its promise.'

function counts(verdicts: Verdict[]): string {
  const count = (kind: Kind) => verdicts.filter((verdict) => verdict.kind === kind).length
  const bets = count('bet') > 0 ? ` Bets checked: ${count('bet')}.` : ''
  const openings = count('opening') > 0 ? ` Openings checked: ${count('opening')}.` : ''
  const boxes = count('box') > 0 ? ` Boxes checked: ${count('box')}.` : ''
  return `Rounds checked: ${count('round')}. Plays checked: ${count('play')}.${bets}${openings}${boxes}`
}

function nothingFound({ only, roundId, nonce, wallet }: VerifyTargets, waiting: string[]): string {
  if (waiting.length > 0) return ['Nothing can be checked yet.', ...listed(waiting)].join('\n  ')
  if (only === 'round')
    return `The source does not disclose round ${roundId}. Check the number, and that the round has ended.`
  if (only === 'play' && wallet === undefined) {
    return `The source doesn't list a play with nonce ${nonce}. For an older play, give the URL of the service and --wallet 0x….`
  }
  if (only === 'play') return `The source has no play of this wallet with nonce ${nonce}.`
  if (only === 'bet') return `The source has no bet of this wallet in round ${roundId}.`
  if (only === 'opening')
    return "The source doesn't list this opening. For an older one, give the URL of the service and --wallet 0x…."
  if (only === 'box') return 'The source does not have this box.'
  if (wallet !== undefined) return 'The source has nothing of this wallet to check.'
  return 'Nothing can be checked: no round with bets has ended yet, and nothing was played.'
}

const MAX_LISTED = 5

function listed(texts: string[]): string[] {
  const more = texts.length - MAX_LISTED
  const shown = texts.slice(0, MAX_LISTED)
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])]
}
