import { capital } from '../../core/words.ts'
import { needsBeacon } from '../shared/local-site.ts'
import { CommandError, printCheck, say } from '../shared/terminal.ts'
import { loadEvidence, type Evidence } from './evidence.ts'
import { readVerifyOptions } from './options.ts'
import { paymentReader } from './payments.ts'
import { receiptTexts } from './receipt-sources.ts'
import { verifyReceipts } from './receipts.ts'
import { otherSeedHash, verdictsOf, type Verdict } from './verdicts.ts'
import type { Kind, VerifyTargets } from './wanted.ts'

/** Runs the command for everything except the house's debts. Returns its exit code. */
export async function verifyResultsCommand(): Promise<number> {
  const { source, sources, mayBeReceipts, site, pinned, rpc, wanted, seen } = readVerifyOptions()
  const receipts = mayBeReceipts ? await receiptTexts(sources) : null
  if (receipts) return verifyReceipts(receipts, pinned, site)
  if (sources.length > 1 || pinned.file !== null) {
    throw new CommandError('Only receipts can be verified together, or with --keys.')
  }
  const mayBeLogged = wanted.only !== null && wanted.only !== 'play'
  if (pinned.logKey !== null && site === null && !(mayBeLogged && /^https?:/.test(source))) {
    throw new CommandError(
      '--log-key needs receipts, a saved opening and --site URL, or the URL of a service and --round N, --bet N, --opening 0x… or --box ID.',
    )
  }
  const evidence = await loadEvidence(source, wanted, {
    logKey: pinned.logKey,
    site: site === null ? null : new URL(site),
    readPayment: rpc === null ? null : await paymentReader(rpc),
    paidAt: seen.paidAt,
  })
  // A play has no pepper.
  const known =
    wanted.only === 'play' ? seen : { ...seen, needsBeacon: needsBeacon(site ?? source) }
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
    for (const text of [...otherSeedHash(each, seen), ...(each.facts ?? [])]) say(`      ${text}`)
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
  if (!/^https?:/.test(site ?? source) && hasCommittedPeppers(evidence)) say(COMMITTED, 'yellow')
  const { uncompared, uncomparedPayments } = evidence
  if (uncompared) say(`Compared with no public log. ${uncompared.why}`, 'yellow')
  if (uncomparedPayments) say(`Not compared with the chain. ${uncomparedPayments.why}`, 'yellow')
  if (uncompared?.isUnreached || uncomparedPayments?.isUnreached) {
    throw new CommandError('\nNot verified, which proves nothing yet. Try again later.')
  }
  const doubts = verdicts.flatMap((each) => each.doubts ?? [])
  for (const doubt of doubts) say(doubt, 'yellow')
  const isOne = verdicts.length === 1
  const result = isOne ? 'the result is' : 'all results are'
  const conditions = [
    ...(doubts.length > 0 ? ['if its seed hash was shown beforehand'] : []),
    ...(uncomparedPayments
      ? [isOne ? 'if its block has the payment' : 'if their blocks have the payments']
      : []),
  ]
  const provided = [
    ...(uncompared ? ['by what this site alone told you'] : []),
    ...(conditions.length > 0 ? [conditions.join(' and ')] : []),
  ]
  say()
  say(
    `Verified: ${[`${result} correct`, ...provided].join(', ')}. ${counts(verdicts)}`,
    provided.length > 0 ? 'yellow' : 'green',
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
