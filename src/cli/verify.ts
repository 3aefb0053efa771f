// npm run verify -- <file or URL>: checks disclosed rounds on this machine, trusting nobody.
import { styleText } from 'node:util'
import type { PepperSource } from '../crash/plan.ts'
import { verifyRound, verifyVoid, type Seen } from '../crash/verify.ts'
import { loadDisclosure } from './disclosure.ts'
import { checkLine, CommandError, readArgs, runCommand, wholeNumber } from './terminal.ts'

const USAGE = `Usage: npm run verify -- <source> [--round N [--seed-hash H] [--pepper P]]

  <source>       a saved answer of verify-seeds, its URL, or the URL of a service
  --round N      only this round
  --seed-hash H  the seed hash you saw before that round's bets closed
  --pepper P     the drand round, or the pepper hash, that you saw then

Ends with 0 if something was checked and all of it holds, with 1 otherwise.`

void runCommand(async () => {
  const { values, positionals } = readArgs(USAGE, {
    allowPositionals: true,
    options: {
      round: { type: 'string' },
      'seed-hash': { type: 'string' },
      pepper: { type: 'string' },
    },
  })
  const [source] = positionals
  if (source === undefined || positionals.length > 1) throw new CommandError(USAGE)
  const seen = readSeen(values['seed-hash'], values.pepper)
  const sawSomething = Object.keys(seen).length > 0
  if (sawSomething && !values.round) throw new CommandError('What you saw needs --round N.')
  const roundId = values.round
    ? wholeNumber('--round', values.round, 1, Number.MAX_SAFE_INTEGER)
    : undefined

  const { rounds, voided } = await loadDisclosure(source, roundId)
  const verdicts = [
    ...rounds.map((round) => ({
      roundId: round.roundId,
      title: `crashed at ${round.crash}x`,
      checks: verifyRound(round, seen),
    })),
    ...voided.map((round) => ({
      roundId: round.roundId,
      title: `voided, bets refunded: ${round.reason}`,
      checks: verifyVoid(round, seen),
    })),
  ].filter((verdict) => roundId === undefined || verdict.roundId === roundId)
  if (verdicts.length === 0) {
    const none = 'No round with bets has ended yet, so there is nothing to check.'
    throw new CommandError(
      roundId === undefined ? none : `Round ${roundId} is not disclosed there.`,
    )
  }

  for (const verdict of verdicts) {
    console.log(styleText('bold', `Round ${verdict.roundId}, ${verdict.title}`))
    for (const check of verdict.checks) console.log(checkLine(check))
  }
  const failed = verdicts.filter(({ checks }) => checks.some(({ holds }) => !holds))
  if (failed.length > 0) {
    const ids = failed.map((verdict) => verdict.roundId).join(', ')
    throw new CommandError(`\nNot everything holds: look at round ${ids}.`)
  }
  console.log(styleText('green', `\nEverything holds. Rounds checked: ${verdicts.length}.`))
  if (!sawSomething) {
    console.log('Is it what you saw before? --round N --seed-hash H --pepper P tells.')
  }
  return 0
})

function readSeen(seedHash: string | undefined, pepper: string | undefined): Seen {
  return {
    ...(seedHash !== undefined && { seedHash: seedHash.toLowerCase() }),
    ...(pepper !== undefined && { pepperSource: readPepper(pepper.toLowerCase()) }),
  }
}

function readPepper(text: string): PepperSource {
  if (text.length === 64) return { kind: 'committed', pepperHash: text }
  const round = wholeNumber('--pepper', text, 1, Number.MAX_SAFE_INTEGER)
  return { kind: 'drand-quicknet', round }
}
