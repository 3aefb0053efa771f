/** Writes a word with a capital letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Writes words as a sentence lists them: "mines, limbo and keno". */
export function listed(words: readonly string[], last = 'and'): string {
  const head = words.slice(0, -1).join(', ')
  const tail = words.at(-1) ?? ''
  return head === '' ? tail : `${head} ${last} ${tail}`
}
