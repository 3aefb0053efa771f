import { describe, expect, it } from 'vitest'
import { openApi } from '../../../src/reference/document.ts'
import { OPERATIONS } from '../../../src/reference/operations.ts'
import { referencePage } from '../../../src/reference/page.ts'

const document = openApi(OPERATIONS)
const page = referencePage(document)
const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found]) => found)

describe('the reference page', () => {
  it('shows every operation and every schema, each once', () => {
    const ids = all(/ id="([^"]+)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id } of OPERATIONS) expect(ids).toContain(id)
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(name)
  })

  it('has no broken link', () => {
    const ids = all(/ id="([^"]+)"/g)
    for (const link of all(/ href="#([^"]+)"/g)) expect(ids).toContain(link)
  })

  it('needs no script or style of its own', () => {
    expect(page).not.toMatch(/<script|<style| style=| on[a-z]+=/)
  })

  it('shows a call as a command with its response', () => {
    expect(page).toContain('curl &#39;http://localhost:8787/api/crash?wallet=0x')
    expect(page).toContain('&quot;action&quot;:&quot;bet&quot;')
  })

  it('escapes descriptions as text, whatever they contain', () => {
    const [operation] = OPERATIONS
    if (!operation) throw new Error('there are operations')
    const odd = openApi([{ ...operation, summary: '<b>"bold"</b> & more' }])
    expect(referencePage(odd)).toContain('&lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp; more')
  })
})
