import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { trustOwnBeacon } from './beacon.ts'
import type { Lie } from './lie.ts'
import {
  expectSignedEntries,
  expectSignedManifest,
  expectSignedStatement,
  expectTwoCheckpoints,
} from './proof.ts'
import { tell, type Told } from './story.ts'
import { TOOLS } from './tools.ts'

let told: Told | null = null

/** Tells a story, whose house closes after the test. */
export async function tellOf(...story: Parameters<typeof tell>): Promise<Told> {
  told = await tell(...story)
  return told
}

/** Has the tests of a file tell stories, each with its own house and time. */
export function useHouses(): void {
  let distrust: () => void
  beforeAll(() => {
    distrust = trustOwnBeacon()
  })
  afterAll(() => distrust())
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => {
    told?.house.close()
    told = null
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
}

/** Expects each of some lies to be caught by its tool, with its proof. */
export function expectCaught(lies: readonly Lie[]): void {
  describe('a lying house', () => {
    it.each(lies)('is caught: $name', async ({ edits, story, caughtBy, finding, proof }) => {
      const lie = await tellOf(edits, story)
      const found = await TOOLS[caughtBy](lie)
      for (const part of finding) expect(found).toContain(part)
      await expectProof(proof, lie, found)
    })
  })
}

async function expectProof(proof: Lie['proof'], { watch }: Told, found: string): Promise<void> {
  const { caught } = watch
  if (proof === 'entries' && caught) return expectSignedEntries(caught)
  if (proof === 'checkpoints' && caught) return expectTwoCheckpoints(caught)
  if (proof === 'statement') return expectSignedStatement()
  if (proof === 'manifest') return expectSignedManifest()
  if (proof === 'receipts') {
    expect(found).toContain('Proof of a breach')
    expect(found).not.toContain('No proof of anything')
    return
  }
  expect(proof).toBeNull()
}
