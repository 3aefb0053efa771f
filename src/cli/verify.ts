// npm run verify -- <file or URL>: checks what was disclosed on this machine, trusting nobody.
import { styleText } from 'node:util'
import { capital } from '../core/words.ts'
import { loadEvidence, type Kind, type Wanted } from './verify/evidence.ts'
import { checkLine, CommandError, runCommand } from './shared/terminal.ts'
import { verdictsOf, type Verdict } from './verify/verdicts.ts'
import { readVerifyOptions } from './verify/options.ts'

void runCommand(async () => {
  const { source, wanted, seen } = readVerifyOptions()
  const evidence = await loadEvidence(source, wanted)
  const verdicts = verdictsOf(evidence, { wanted, seen })
  const sawSomething = Object.keys(seen).length > 0
  const [verdict, ...others] = verdicts
  const isOneSeeded = verdict !== undefined && others.length === 0 && verdict.kind !== 'box'
  if (sawSomething && wanted.only === null && !isOneSeeded) {
    throw new CommandError(
      'What you saw needs --round N, --bet N, --play N, --opening 0x… or --box ID.',
    )
  }
  if (verdicts.length === 0) throw new CommandError(nothingFound(wanted, evidence.waiting))

  for (const { name, title, checks } of verdicts) {
    console.log(styleText('bold', `${capital(name)}, ${title}`))
    for (const check of checks) console.log(checkLine(check))
  }
  if (evidence.waiting.length > 0) console.log(`Not yet:\n  ${listed(evidence.waiting)}`)
  const failed = verdicts.filter(({ checks }) => checks.some(({ holds }) => !holds))
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ')
    throw new CommandError(`\nNot everything holds: look at ${names}.`)
  }
  console.log(styleText('green', `\nEverything holds. ${counts(verdicts)}`))
  if (!sawSomething) {
    console.log(
      'Is it what you saw before? --seed-hash H with --round, --play or --opening tells, --pepper H with --box.',
    )
  }
  return 0
})

function counts(verdicts: Verdict[]): string {
  const count = (kind: Kind) => verdicts.filter((verdict) => verdict.kind === kind).length
  const bets = count('bet') > 0 ? ` Bets checked: ${count('bet')}.` : ''
  const openings = count('opening') > 0 ? ` Openings checked: ${count('opening')}.` : ''
  const boxes = count('box') > 0 ? ` Boxes checked: ${count('box')}.` : ''
  return `Rounds checked: ${count('round')}. Plays checked: ${count('play')}.${bets}${openings}${boxes}`
}

function nothingFound({ only, roundId, nonce, wallet }: Wanted, waiting: string[]): string {
  if (waiting.length > 0) return `There is nothing to check yet.\n  ${listed(waiting)}`
  if (only === 'round') return `Round ${roundId} is not disclosed there.`
  if (only === 'play' && wallet === undefined) {
    return `A play with the nonce ${nonce} is not among the newest there: add --wallet 0x….`
  }
  if (only === 'play') return `The wallet's play with the nonce ${nonce} is not there.`
  if (only === 'bet') return `The wallet's bet in round ${roundId} is not there.`
  if (only === 'opening') return 'This opening is not among the newest there: add --wallet 0x….'
  if (only === 'box') return 'This box is not there.'
  if (wallet !== undefined) return 'This wallet has nothing there that can be checked.'
  return 'No round with bets has ended yet and nothing was played, so there is nothing to check.'
}

const MOST_LISTED = 5

function listed(texts: string[]): string {
  const more = texts.length - MOST_LISTED
  const shown = texts.slice(0, MOST_LISTED)
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ')
}
