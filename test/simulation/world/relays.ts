import { beaconPublishedAt, QUICKNET } from '../../../src/fairness/drand.ts'
import { signBeacon, TEST_KEY } from '../../audit/export.ts'
import type { Edit } from './bundle.ts'
import { askOutside, jsonResponse } from './outside.ts'
import type { World } from './world.ts'

/** Has the service take the tests' key for the beacon's, which only drand can sign with. */
export const TEST_BEACON: Edit = ['src/fairness/drand.ts', QUICKNET.publicKey, TEST_KEY]

/** How late a relay has a beacon, if it is late. In milliseconds. */
const LATE_MS = [1_000, 40_000] as const

/** The signatures so far: histories share their rounds. */
const signatures = new Map<number, string>()

/** Returns a beacon's signature by the tests' key. */
export function signatureOf(round: number): string {
  const signature = signatures.get(round) ?? signBeacon(round)
  signatures.set(round, signature)
  return signature
}

/** Asks a relay for a beacon. It may be late or down, or answer with another one's signature. */
export function askRelay(world: World, url: URL, init: RequestInit | undefined): Promise<Response> {
  const round = Number(url.pathname.split('/').at(-1))
  return askOutside(world, 'relays', `${url.host} ${round}`, init, (crossing) => {
    const { faults, random, scheduler } = world
    const name = `beacon ${round} of ${url.host}`
    const isLate = faults.isOn && random.chance(`${name} is late`, 0.25)
    const lateMs = isLate ? random.between(`${name} lateness`, ...LATE_MS) : 0
    if (scheduler.now < beaconPublishedAt(round) + lateMs) return jsonResponse({}, 404)
    if (faults.isOn && random.chance(`${crossing} is down`, 0.15)) return jsonResponse({}, 500)
    const isWrong = faults.isOn && random.chance(`${crossing} is wrong`, 0.15)
    return jsonResponse({ round, signature: signatureOf(isWrong ? round - 1 : round) })
  })
}
