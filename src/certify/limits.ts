/** Limits of a partner, in whole tokens, that are enough for a run of the kit: about twice what one uses. */
export const ENOUGH = {
  credit: { USDG: 30, ETH: 3 },
  /** Of credits less debits of a day, and of the debits of one player within an hour. */
  dayAndHour: { USDG: 1_000, ETH: 10 },
  newPlayers: 150,
} as const

/** {@link ENOUGH} in the words of the guide and the command. */
export const ENOUGH_IN_WORDS = `${amounts(ENOUGH.credit)} a credit, ${amounts(ENOUGH.dayAndHour)} a day and an hour, and ${ENOUGH.newPlayers} new players a day`

function amounts({ USDG, ETH }: { USDG: number; ETH: number }): string {
  return `${USDG.toLocaleString('en')} USDG and ${ETH} ETH`
}
