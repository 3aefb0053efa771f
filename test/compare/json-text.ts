/** A bracket, comma, colon or scalar, with any white space after it. */
const TOKENS = /(?:[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)\s*/g

export interface Rewrite {
  /** Returns the replacement for a string, number, boolean or null. */
  leaf: (path: string, source: string) => string
  /** Returns whether the list is compared as a set: equal elements once, in any order. */
  isSet: (path: string) => boolean
}

/**
 * Rewrites the scalars of a JSON text. Keys, their order and white space stay unchanged, so the result
 * can be compared byte for byte.
 * @returns null if the text isn't JSON
 */
export function rewriteJson(text: string, { leaf, isSet }: Rewrite): string | null {
  if (!isJson(text)) return null
  const tokens = text.match(TOKENS) ?? []
  let next = 0
  const peek = () => tokens[next] ?? ''
  const take = () => tokens[next++] ?? ''

  const members = (path: string): string => {
    let rewritten = ''
    while (!peek().startsWith('}')) {
      const key = take()
      rewritten += key + take() + value(`${path}.${JSON.parse(key)}`)
      if (peek().startsWith(',')) rewritten += take()
    }
    return rewritten
  }
  const elements = (path: string): string => {
    const rewritten: string[] = []
    while (!peek().startsWith(']')) {
      const element = value(`${path}.${rewritten.length}`)
      rewritten.push(element + (peek().startsWith(',') ? take() : ''))
    }
    if (!isSet(path)) return rewritten.join('')
    return [...new Set(rewritten.map((element) => element.replace(/,\s*$/, '')))].toSorted().join()
  }
  const value = (path: string): string => {
    const token = take()
    if (token.startsWith('{')) return token + members(path) + take()
    if (token.startsWith('[')) return token + elements(path) + take()
    const source = token.trimEnd()
    return leaf(path.slice(1), source) + token.slice(source.length)
  }
  return (/^\s*/.exec(text)?.[0] ?? '') + value('')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
