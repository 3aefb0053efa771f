// npm run verify -- <file or URL>: checks disclosed rounds and plays on this machine, trusting nobody.
import { styleText } from 'node:util'
import type { PepperSource } from '../fairness/pepper.ts'
import { verifyRound, verifyVoid, type Seen } from '../crash/verify.ts'
import { verifyPlay, type SeenPlay } from '../entropy/verify.ts'
import type { Check } from '../fairness/check.ts'
import { verifyOpening } from '../lootbox/verify.ts'
import { loadEvidence, type Evidence } from './evidence.ts'
import { checkLine, CommandError, readArgs, runCommand, wholeNumber } from './terminal.ts'

const USAGE = `Usage: npm run verify -- <source> [options]

  <source>         a saved answer of verify-seeds, of a play, of recent or of a lootbox's opening; its URL;
                   or a service's URL
  --round N        only this round of crash
  --play N         only the play with this nonce
  --wallet 0x…     only this wallet's plays
  --seed-hash H    the seed hash you saw before that round's bets closed, or before that play
  --client-seed C  the client seed you sent with that play
  --pepper P       the drand round, or the pepper hash, that you saw before that round's bets closed

Ends with 0 if something was checked and all of it holds, with 1 otherwise.`

/** A round or a play, and what was found. */
interface Verdict {
  name: string
  title: string
  checks: Check[]
}

type Options = ReturnType<typeof readOptions>

void runCommand(async () => {
  const options = readOptions()
  const evidence = await loadEvidence(options.source, options)
  const isOneThing = options.isRound || options.nonce !== undefined || evidence.openings.length > 0
  if (options.sawSomething && !isOneThing) {
    throw new CommandError('What you saw needs --round N or --play N.')
  }
  const rounds = options.isPlay ? [] : roundVerdicts(evidence, options)
  const plays = options.isRound ? [] : playVerdicts(evidence, options)
  const openings = options.isPlay || options.isRound ? [] : openingVerdicts(evidence, options)
  const verdicts = [...rounds, ...plays, ...openings]
  if (verdicts.length === 0) throw new CommandError(nothingFound(options))

  for (const { name, title, checks } of verdicts) {
    console.log(styleText('bold', `${capital(name)}, ${title}`))
    for (const check of checks) console.log(checkLine(check))
  }
  const failed = verdicts.filter(({ checks }) => checks.some(({ holds }) => !holds))
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ')
    throw new CommandError(`\nNot everything holds: look at ${names}.`)
  }
  const opened = openings.length === 0 ? '' : ` Openings checked: ${openings.length}.`
  const counts = `Rounds checked: ${rounds.length}. Plays checked: ${plays.length}.${opened}`
  console.log(styleText('green', `\nEverything holds. ${counts}`))
  if (!options.sawSomething) {
    console.log('Is it what you saw before? --seed-hash H with --round N or --play N tells.')
  }
  return 0
})

function readOptions() {
  const { values, positionals } = readArgs(USAGE, {
    allowPositionals: true,
    options: {
      round: { type: 'string' },
      play: { type: 'string' },
      wallet: { type: 'string' },
      'seed-hash': { type: 'string' },
      'client-seed': { type: 'string' },
      pepper: { type: 'string' },
    },
  })
  const [source] = positionals
  if (source === undefined || positionals.length > 1) throw new CommandError(USAGE)
  const { round, play, wallet, pepper } = values
  const seedHash = values['seed-hash']
  const clientSeed = values['client-seed']
  const isRound = round !== undefined
  const isPlay = play !== undefined || wallet !== undefined
  const sawSomething = [seedHash, clientSeed, pepper].some((seen) => seen !== undefined)
  if (isRound && isPlay) throw new CommandError('Ask for a round or for plays, not for both.')
  if (clientSeed !== undefined && isRound) {
    throw new CommandError('A client seed belongs to --play N.')
  }
  if (pepper !== undefined && !isRound) throw new CommandError('A pepper belongs to --round N.')
  return {
    source,
    isRound,
    isPlay,
    sawSomething,
    ...(isRound && { roundId: wholeNumber('--round', round, 1, Number.MAX_SAFE_INTEGER) }),
    ...(play !== undefined && { nonce: wholeNumber('--play', play, 0, Number.MAX_SAFE_INTEGER) }),
    ...(wallet !== undefined && { wallet }),
    seen: readSeen(seedHash, pepper),
    ...(clientSeed !== undefined && { clientSeed }),
  }
}

function roundVerdicts({ rounds, voided }: Evidence, { roundId, seen }: Options): Verdict[] {
  const isWanted = (round: { roundId: number }) =>
    roundId === undefined || round.roundId === roundId
  return [
    ...rounds.filter(isWanted).map((round) => ({
      name: `round ${round.roundId}`,
      title: `crashed at ${round.crash}x`,
      checks: verifyRound(round, seen),
    })),
    ...voided.filter(isWanted).map((round) => ({
      name: `round ${round.roundId}`,
      title: `voided, bets refunded: ${round.reason}`,
      checks: verifyVoid(round, seen),
    })),
  ]
}

function playVerdicts({ plays }: Evidence, options: Options): Verdict[] {
  const { nonce, wallet, sawSomething } = options
  const wanted = plays
    .filter((play) => nonce === undefined || play.nonce === nonce)
    .filter((play) => isOf(play.wallet, wallet))
  // What was seen belongs to one play; another wallet's of the same number is no lie of the house.
  if (sawSomething && wanted.length > 1) {
    throw new CommandError(`Several plays there have the nonce ${nonce}: add --wallet 0x….`)
  }
  return wanted.map((play) => ({
    name: `play ${play.nonce}${play.wallet === null ? '' : ` of ${play.wallet}`}`,
    title: `${play.selection.game}, paid ${play.multiplier}x`,
    checks: verifyPlay(play, seenOf(options)),
  }))
}

function openingVerdicts({ openings }: Evidence, { seen }: Options): Verdict[] {
  return openings.map((opening) => ({
    name: `opening ${opening.id}`,
    title: `won ${opening.label}`,
    checks: verifyOpening(opening, seen),
  }))
}

function seenOf({ seen: { seedHash }, clientSeed }: Options): SeenPlay {
  return {
    ...(seedHash !== undefined && { seedHash }),
    ...(clientSeed !== undefined && { clientSeed }),
  }
}

/** A saved answer of a play does not say whose it is. */
function isOf(owner: string | null, wallet?: string): boolean {
  return wallet === undefined || owner === null || owner.toLowerCase() === wallet.toLowerCase()
}

function nothingFound({ roundId, nonce, isPlay }: Options): string {
  if (roundId !== undefined) return `Round ${roundId} is not disclosed there.`
  if (nonce !== undefined) return `A play with the nonce ${nonce} is not among the newest there.`
  if (isPlay) return 'No play of this wallet is among the newest there.'
  return 'No round with bets has ended yet and nothing was played, so there is nothing to check.'
}

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

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
