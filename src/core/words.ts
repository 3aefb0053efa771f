/** Returns a word with a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Returns a number of things: "1 bet", "2 bets", "1,234 bets". @param thing its singular, to which an s is added */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}

/** Joins words for a sentence: "mines, limbo and keno". */
export function listed(words: readonly string[], last = 'and'): string {
  const head = words.slice(0, -1).join(', ')
  const tail = words.at(-1) ?? ''
  return head === '' ? tail : `${head} ${last} ${tail}`
}
