/** Returns a word with a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Joins words for a sentence: "mines, limbo and keno". */
export function listed(words: readonly string[], last = 'and'): string {
  const head = words.slice(0, -1).join(', ')
  const tail = words.at(-1) ?? ''
  return head === '' ? tail : `${head} ${last} ${tail}`
}
