import { createContext, runInContext } from 'node:vm'
import { expect, it } from 'vitest'
import { confine } from '../../../../src/play/strategies/confine.ts'

it('a confined scope has the language only, whatever its prototypes brought', () => {
  const context = createContext({ fetch: () => 1, secret: 2 })
  const scope = runInContext(
    `Object.setPrototypeOf(globalThis, Object.create({ indexedDB: 1 }, {
       caches: { get: () => 1, configurable: true },
     }))
     globalThis`,
    context,
  ) as Parameters<typeof confine>[0]
  expect(confine(scope)).toEqual([])
  const names = ['fetch', 'secret', 'indexedDB', 'caches', 'Date', 'WebAssembly', 'Math', 'BigInt']
  const seen = runInContext(
    `JSON.stringify(${JSON.stringify(names)}.filter((name) => name in globalThis))`,
    context,
  ) as string
  expect(JSON.parse(seen)).toEqual(['Math', 'BigInt'])
  expect(runInContext('Math.random === undefined && 2n ** 3n === 8n', context)).toBe(true)
})

it('a scope that keeps something says so', () => {
  const scope = { Math: {} }
  Object.defineProperty(scope, 'fetch', { value: () => 1 })
  expect(confine(scope)).toEqual(['fetch'])
})
