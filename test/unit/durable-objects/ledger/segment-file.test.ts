import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { linesOf, packed } from '../../../../durable-objects/ledger/segment-file.ts'

/** Lines as long as those of entries, some with characters of several bytes, which no compression shortens much. */
const lines = Array.from({ length: 4_000 }, (_, number) => {
  const bytes = crypto.getRandomValues(new Uint8Array(250))
  return `${number} ${number % 3 === 0 ? '€' : '–'.repeat(number % 5)} ${Buffer.from(bytes).toString('hex')}`
})

async function readOf(text: string): Promise<string[]> {
  const read: string[] = []
  for await (const some of linesOf(await packed([text]))) read.push(...some)
  return read
}

describe("a segment's file", () => {
  it('has all lines, however they were handed over', async () => {
    const [half, whole] = [`${lines.slice(0, 1_999).join('\n')}\n`, `${lines.join('\n')}\n`]
    const file = await packed([half, whole.slice(half.length)])
    expect(gunzipSync(new Uint8Array(file)).toString()).toBe(whole)
    expect(await packed([whole])).toEqual(file)
  })

  it('is read a few lines at a time', async () => {
    const file = await packed([`${lines.join('\n')}\n`])
    const sizes: number[] = []
    for await (const some of linesOf(file)) sizes.push(some.length)
    expect(Math.max(...sizes)).toBeLessThan(500)
    expect(await readOf(`${lines.join('\n')}\n`)).toEqual(lines)
  })

  it('is refused without the end of its last line', async () => {
    expect(await readOf('one\ntwo\n')).toEqual(['one', 'two'])
    await expect(readOf('one\ntwo')).rejects.toThrow('the last line of a segment is complete')
  })

  it('is not made of lines that cannot be read', async () => {
    function* broken() {
      yield 'one\n'
      throw new Error('the database is broken')
    }
    await expect(packed(broken())).rejects.toThrow('the database is broken')
  })
})
