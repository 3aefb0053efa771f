import { transformSync } from 'esbuild'
import { afterEach, describe, expect, it } from 'vitest'
import { copyOf } from '../../simulation/world/copy.ts'
import { Coverage } from '../../simulation/world/coverage.ts'
import { GLOBALS, Program, type Process } from '../../simulation/world/isolates.ts'
import { withCells } from '../../simulation/world/memory.ts'
import { EVERYTHING, World } from '../../simulation/world/world.ts'

const SOURCE = `
let count: number = 0
const known = new Map<string, number>([
  ['first', 1],
])
export function add(name: string): string {
  known.set(name, ++count)
  return [...known].flat().join()
}
`

let world: World

function evaluated(): Program {
  const { code } = transformSync(withCells(SOURCE), { loader: 'ts', format: 'cjs' })
  const program = new Program(code, GLOBALS)
  const setting = {
    programs: [program],
    vars: {},
    objectBindings: {},
    databases: {},
    buckets: [],
    rateLimits: [],
    relayer: { address: '0x', privateKey: '' } as const,
    boxSigner: { privateKey: '' },
  }
  world = new World(1, setting, { coverage: new Coverage(), choice: EVERYTHING, isTold: false })
  return program
}

afterEach(() => world.close())

describe('an evaluated module', () => {
  const add = (program: Program, process: Process, name: string) => {
    program.enter(process)
    return (program.exports as unknown as { add: (name: string) => string }).add(name)
  }

  it('keeps a memory for each process', () => {
    const program = evaluated()
    const [one, other] = [program.start(world, 0), program.start(world, 0)]
    expect(add(program, one, 'a')).toBe('first,1,a,1')
    expect(add(program, other, 'b')).toBe('first,1,b,1')
    expect(add(program, one, 'c')).toBe('first,1,a,1,c,2')
  })

  it('remembers nothing in a new process', () => {
    const program = evaluated()
    add(program, program.start(world, 0), 'a')
    expect(add(program, program.start(world, 0), 'b')).toBe('first,1,b,1')
  })
})

describe('a copy of what objects send each other', () => {
  it('shares nothing with the original', () => {
    const sent = { list: [1n, { text: 'a' }], bytes: new Uint8Array([1]), none: null }
    const copy = copyOf(sent)
    expect(copy).toEqual(sent)
    sent.list.push(2n)
    sent.bytes[0] = 2
    expect(copy).toEqual({ list: [1n, { text: 'a' }], bytes: new Uint8Array([1]), none: null })
  })

  it('is refused for a function, as the runtime refuses it', () => {
    expect(() => copyOf({ run: () => {} })).toThrow('could not be cloned')
  })
})
