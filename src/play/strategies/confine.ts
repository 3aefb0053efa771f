/** The language without clock, randomness, network, storage, or anything else that a browser adds. */
const LANGUAGE: ReadonlySet<string> = new Set([
  'globalThis',
  'undefined',
  'NaN',
  'Infinity',
  'Object',
  'Function',
  'Boolean',
  'Symbol',
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'Number',
  'BigInt',
  'Math',
  'String',
  'RegExp',
  'Array',
  'JSON',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Iterator',
  'Reflect',
  'Proxy',
  'ArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
  'Float32Array',
  'Float64Array',
  'Promise',
  // The rules hash texts.
  'TextEncoder',
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
])

/**
 * Removes everything from a global scope that is not of the language. The policy of the worker's own file forbids the
 * network besides: anything left by mistake still reaches nobody.
 * @returns the names that could not be removed, but for numbers
 */
export function confine(scope: object & { Math: object }): string[] {
  const left = new Set<string>()
  const prototypes = prototypesOf(scope)
  for (const owner of [scope, ...prototypes]) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      // The constructor of a prototype leads back to the interfaces of the browser.
      if (LANGUAGE.has(name) || Reflect.deleteProperty(owner, name)) continue
      if (!isNumber(owner, name)) left.add(name)
    }
  }
  // The same state and event must lead to the same action.
  Reflect.deleteProperty(scope.Math, 'random')
  return [...left]
}

/** Some constants can't be removed. */
function isNumber(owner: object, name: string): boolean {
  return typeof Object.getOwnPropertyDescriptor(owner, name)?.value === 'number'
}

/** Returns the prototypes of a scope, without that of all objects. */
function prototypesOf(scope: object): object[] {
  const found: object[] = []
  let owner = Object.getPrototypeOf(scope) as object | null
  while (owner && Object.getPrototypeOf(owner) !== null) {
    found.push(owner)
    owner = Object.getPrototypeOf(owner) as object | null
  }
  return found
}

/** Objects that code reaches by its syntax only. */
const BY_SYNTAX: readonly unknown[] = [
  [].values(),
  new Map().entries(),
  new Set().values(),
  ''[Symbol.iterator](),
  'a'.matchAll(/a/g),
  function* () {},
  async () => {},
  async function* () {},
]

/**
 * Fixes everything that a confined scope has, so that a strategy changes none of what the rules beside it use: its
 * simulation could not be believed otherwise.
 */
export function harden(scope: object): void {
  const seen = new Set<object>()
  const queue: unknown[] = [...BY_SYNTAX]
  for (const name of LANGUAGE) {
    const found = Object.getOwnPropertyDescriptor(scope, name)
    if (!found) continue
    queue.push(found.value)
    if (found.configurable !== true) continue
    Object.defineProperty(scope, name, { ...found, writable: false, configurable: false })
  }
  while (queue.length > 0) {
    const each = queue.pop()
    if ((typeof each !== 'object' && typeof each !== 'function') || each === null) continue
    if (each === scope || seen.has(each)) continue
    seen.add(each)
    queue.push(Object.getPrototypeOf(each))
    for (const key of Reflect.ownKeys(each)) {
      queue.push(...Object.values(Object.getOwnPropertyDescriptor(each, key) ?? {}))
    }
    Object.freeze(each)
  }
}
