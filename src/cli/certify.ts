// npm run certify: checks that a wallet bridge follows every rule of the partner's guide.
import { writeFile } from 'node:fs/promises'
import { styleText } from 'node:util'
import { certify, type Access, type Result } from '../certify/certify.ts'
import { ENOUGH_IN_WORDS } from '../certify/limits.ts'
import { accessOf } from './certify/access.ts'
import { findPartners } from './shared/manifest.ts'
import { CommandError, readArgs, runCommand } from './shared/terminal.ts'

const USAGE = `Usage: npm run certify -- --url URL --partner ID --secret SECRET [options]

  --url URL               the service; default, with --partner and --secret: the one of npm run dev
  --partner ID            your id, as in the claim iss
  --secret SECRET         your key; safer in CERTIFY_SECRET, which process lists don't show
  --next-secret S         your next key, if it is already valid (CERTIFY_NEXT_SECRET)
  --other-partner ID      a second partner of the same service, to test that partners are kept apart
  --other-secret S        the second partner's key (CERTIFY_OTHER_SECRET)
  --restart COMMAND       a command that restarts the service, and exits once it answers again
  --only TEXT             run only the cases with this text in the title
  --json FILE             write the full report to this file
  --verbose               show the calls and answers of every case

Creates new players with generated keys, credits them with small amounts (a few whole tokens) and debits
these again. The permission cases run as the partner that needs permissions. Limits that are enough for a run:
${ENOUGH_IN_WORDS}.
Exits with 0 if every case passes, and with 1 otherwise. Skipped cases don't count.`

void runCommand(async () => {
  const { values } = readArgs(USAGE, {
    options: {
      url: { type: 'string' },
      partner: { type: 'string' },
      secret: { type: 'string' },
      'next-secret': { type: 'string' },
      'other-partner': { type: 'string' },
      'other-secret': { type: 'string' },
      restart: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
      verbose: { type: 'boolean' },
    },
  })
  const { url, access } = accessOf(values, await findPartners(), USAGE)
  console.log(`Certifying the wallet bridge at ${url.origin} for ${access.partner.id}.`)
  let heading = ''
  const results = await certify(() => url, access, {
    includes: (title) => title.includes(values.only ?? ''),
    tell: (result) => {
      if (result.group !== heading) console.log(`\n${styleText('bold', result.group)}`)
      heading = result.group
      console.log(shown(result, values.verbose === true))
    },
  })
  if (results.length === 0)
    throw new CommandError('No case has this text in its title. Check --only.')
  if (values.json !== undefined) await writeFile(values.json, report(url, access, results))
  return conclude(results)
})

function shown(result: Result, isVerbose: boolean): string {
  const { title, outcome, problem, rule, exchanges } = result
  if (outcome === 'skipped') return styleText('yellow', `  - ${title}: skipped, ${problem}`)
  const line =
    outcome === 'passed'
      ? `  ${styleText('green', '✓')} ${title}`
      : styleText('red', `  ✗ ${title}\n    ${problem}\n    Rule: ${rule}`)
  if (outcome === 'passed' && !isVerbose) return line
  const wire = exchanges.flatMap(({ sent, received }) => [
    ...sent.split('\n').map((text, row) => `    ${row === 0 ? '→' : ' '} ${text}`),
    `    ← ${received}`,
  ])
  return [line, ...wire].join('\n')
}

function report(url: URL, { partner }: Access, results: Result[]): string {
  const head = { url: url.origin, partner: partner.id, at: new Date().toISOString() }
  return `${JSON.stringify({ ...head, ...counts(results), cases: results }, null, 2)}\n`
}

function counts(results: Result[]) {
  const count = (outcome: Result['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

function conclude(results: Result[]): number {
  const { passed, failed, skipped } = counts(results)
  const rest = skipped === 0 ? '' : ` ${skipped} skipped.`
  const text = `\n${passed} of ${passed + failed} cases passed.${rest}`
  const unclean = results.filter(({ isClean }) => !isClean)
  for (const { title } of unclean)
    console.log(`Some chips could not be debited again after: ${title}`)
  console.log(styleText(failed === 0 ? 'green' : 'red', text))
  return failed === 0 ? 0 : 1
}
