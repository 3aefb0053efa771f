/**
 * Finds everything that a module of the service keeps between requests, as `test/unit/isolate-memory.test.ts`
 * lists it: variables, and maps, sets and caches.
 */
export const MEMORY =
  /^(?<head>(?:export )?)(?:let (?<variable>\w+)(?<type>[^=]*)=|const (?<constant>\w+)\b(?<kind>[^=]*)=(?=\s+new (?:Map|Set|WeakMap|WeakSet|\w*Cache)\b))\s+(?<value>.*(?:\n[ \])}].*)*)/gm

/** Where a library is kept, each call of which writes all of its inputs. Histories share it. */
const LIBRARIES: readonly string[] = ['secp256k1']

/** Something that a module keeps between requests. */
export interface Cell {
  /** Returns what it is at the start. */
  fresh: () => unknown
  read: () => unknown
  write: (value: unknown) => void
}

/**
 * Returns a module's source that adds what it keeps to a list named `cells`. So one evaluation of the bundle serves
 * all isolates, each with its own memory: evaluated again, it would run as interpreted code most of the time.
 */
export function withCells(source: string): string {
  const cells: string[] = []
  const text = source.replaceAll(MEMORY, (...match) => {
    const { head, variable, type, constant, kind, value } = match.at(-1) as Record<string, string>
    const name = variable ?? constant ?? ''
    if (LIBRARIES.includes(name)) return match[0]
    cells.push(
      `cells.push({ fresh: () => (${value}), read: () => ${name}, write: (value) => { ${name} = value } })`,
    )
    return `${head}let ${name}${type ?? kind}= ${value}`
  })
  return [text, ...cells].join('\n')
}
