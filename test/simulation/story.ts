import { NAMES } from './actors/players.ts'
import { WALLETS } from './wallets.ts'

const LONGEST_LINE = 260

/** Returns a story's lines as a person reads them: with names for wallets, and without signatures. */
export function readable(story: readonly string[]): string[] {
  return story.map((line) => {
    const named = WALLETS.reduce(
      (text, wallet, index) => text.replaceAll(wallet, NAMES[index] ?? wallet),
      line,
    )
    const short = named.replaceAll(/,?"authSig":"\w+"|&?authSig=\w+/g, '')
    return short.length > LONGEST_LINE ? `${short.slice(0, LONGEST_LINE)}…` : short
  })
}

/** Leaves out what the cron trigger does each minute, which is most of a quiet story. */
export function withoutCron(story: readonly string[]): string[] {
  return story.filter((line) => !/ {2}cron #|>CrashRound\/\d+\.sweep/.test(line))
}
