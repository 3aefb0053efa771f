import type { Random } from '../live/random.ts'

/**
 * JSON that may be wrong: an object may have a key twice, and a leaf is text of any form, such as 1e400. Whether
 * a number or a key reaches the service as written is what a fuzzer is about.
 */
export type Tree = { entries: [key: string, value: Tree][] } | { items: Tree[] } | { raw: string }

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(treeOf) }
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) }
  return { entries: Object.entries(value).map(([key, member]) => [key, treeOf(member)]) }
}

export function textOf(tree: Tree): string {
  if ('raw' in tree) return tree.raw
  if ('items' in tree) return `[${tree.items.map(textOf).join(',')}]`
  return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(',')}}`
}

/** Returns the value of a tree; null if it is not JSON. */
export function valueOf(tree: Tree): unknown {
  try {
    return JSON.parse(textOf(tree)) as unknown
  } catch {
    return null
  }
}

/** A place in a tree: keys and indexes from its root. */
export type Path = (string | number)[]

/** Returns all places below the root. */
export function pathsOf(tree: Tree, from: Path = []): Path[] {
  if ('raw' in tree) return []
  const children: [string | number, Tree][] =
    'items' in tree ? tree.items.map((item, index) => [index, item]) : tree.entries
  return children.flatMap(([key, child]) => [[...from, key], ...pathsOf(child, [...from, key])])
}

export function at(tree: Tree, path: Path): Tree | null {
  const [key, ...rest] = path
  if (key === undefined) return tree
  const child = 'raw' in tree ? undefined : childOf(tree, key)
  return child ? at(child, rest) : null
}

function childOf(tree: Exclude<Tree, { raw: string }>, key: string | number): Tree | undefined {
  if ('items' in tree) return tree.items[Number(key)]
  return tree.entries.find(([name]) => name === key)?.[1]
}

/** Returns a tree with another value at a place. */
export function replaced(tree: Tree, [key, ...rest]: Path, value: Tree): Tree {
  if (key === undefined) return value
  if ('raw' in tree) return tree
  if ('items' in tree) {
    return {
      items: tree.items.map((item, index) => (index === key ? replaced(item, rest, value) : item)),
    }
  }
  return {
    entries: tree.entries.map(([name, member]) => [
      name,
      name === key ? replaced(member, rest, value) : member,
    ]),
  }
}

/** Sets a field of an object, or adds it. */
export function withField(tree: Tree, key: string, value: unknown): Tree {
  if (!('entries' in tree)) return tree
  const others = tree.entries.filter(([name]) => name !== key)
  return { entries: [...others, [key, treeOf(value)]] }
}

/** Returns an object with one change to its keys: one is missing, twice there, renamed or new. */
export function withOtherKeys(random: Random, tree: Tree, oddValue: () => Tree): Tree {
  if (!('entries' in tree)) return tree
  const { entries } = tree
  const index = random.between(0, entries.length - 1)
  const chosen = entries[index]
  if (!chosen) return { entries: [[random.pick(ODD_KEYS), oddValue()]] }
  const [key, value] = chosen
  const others = entries.filter((_, other) => other !== index)
  const rename = (to: string): Tree => ({ entries: [...others, [to, value]] })
  return random.pick<() => Tree>([
    () => ({ entries: others }),
    () => ({ entries: [...entries, [key, value]] }),
    () => ({ entries: [[key, oddValue()], ...entries] }),
    () => ({ entries: [...entries, [key, oddValue()]] }),
    () => rename(key.toUpperCase()),
    () => rename(key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    () => rename(`${key} `),
    () => rename(`${key}\u0000`),
    () => rename(key.slice(1)),
    () => ({ entries: [...entries, [key.toUpperCase(), oddValue()]] }),
    () => ({ entries: [...entries, [random.pick(ODD_KEYS), oddValue()]] }),
    () => ({ entries: entries.toReversed() }),
    () => ({ entries: [[key, { entries }]] }),
    () => ({ items: [tree] }),
  ])()
}

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
  ' ',
  '0',
  '-1',
  '\u0000',
  '\ud800',
  'ключ',
  '💥',
  'a'.repeat(5_000),
  'ok',
  'error',
]
