import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

/** Answers what the page asks of the service. */
let answer: () => void
let workers: number

beforeEach(() => {
  workers = 0
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  vi.stubGlobal('location', { hostname: 'play.test' })
  vi.stubGlobal('localStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('STRATEGY_WORKER', '/worker.js')
  vi.stubGlobal('fetch', async () => {
    await answered
    return Response.json({ ok: true, edgeBps: 100, config: { edgeBps: 100 } })
  })
  const started = () => void workers++
  vi.stubGlobal(
    'Worker',
    class {
      onmessage?: (message: { data: unknown }) => void
      constructor() {
        started()
      }
      postMessage() {
        queueMicrotask(() => this.onmessage?.({ data: { kind: 'failed', message: 'No.' } }))
      }
      terminate() {}
    },
  )
})
afterEach(() => void vi.unstubAllGlobals())

describe('a simulation', () => {
  it('that is stopped while the edge is read does not start', async () => {
    const { simulationStatus, startSimulation, stopSimulation } =
      await import('../../../../src/play/strategies/simulation.ts')
    const started = startSimulation()
    stopSimulation()
    answer()
    await started
    expect([workers, simulationStatus.value.kind]).toEqual([0, 'nothing'])
  })

  it('that is started twice runs once', async () => {
    const { startSimulation } = await import('../../../../src/play/strategies/simulation.ts')
    const both = [startSimulation(), startSimulation()]
    answer()
    await Promise.all(both)
    expect(workers).toBe(1)
  })
})

describe('the form of a simulation', () => {
  it('asks for a target that could mean two numbers without its separator', async () => {
    const { readSimulationForm, simulationForm } =
      await import('../../../../src/play/strategies/simulation.ts')
    const asked = (target: string) => readSimulationForm({ ...simulationForm.value, target })
    expect(asked('1,000')).toBe('Write the number without a thousands separator.')
    expect(asked('1')).toBe('Enter a target of 1.01x or more.')
    expect(asked('1000')).toMatchObject({ bets: 100 })
  })
})
