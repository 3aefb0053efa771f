/** Returns a word with a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Returns a count with its noun: "1 bet", "1,234 bets". @param many the plural, if it doesn't just add an s */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** Joins words for a sentence: "mines, limbo and keno". */
export function listed(words: readonly string[], last = 'and'): string {
  const head = words.slice(0, -1).join(', ')
  const tail = words.at(-1) ?? ''
  return head === '' ? tail : `${head} ${last} ${tail}`
}
