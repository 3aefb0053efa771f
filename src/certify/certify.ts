import { randomUUID } from 'node:crypto'
import { Bridge, type Exchange } from './bridge.ts'
import { Broken, type Case, type Kit } from './case.ts'
import { GROUPS } from './cases.ts'
import type { PartnerCredentials } from './token.ts'

/** The resources given to the kit. */
export type Access = Omit<Kit, 'bridge' | 'consenting' | 'id'>

/** The result of one case. */
export interface Result {
  group: string
  title: string
  rule: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** The violation, or the missing resource. */
  problem: string | null
  exchanges: Exchange[]
  /** Whether its players' chips were debited again. */
  isClean: boolean
}

/**
 * Runs all cases in sequence, and reports each result as it arrives.
 * @param url returns the service's current URL, which a restart may change
 */
export async function certify(
  url: () => URL,
  access: Access,
  options: { includes: (title: string) => boolean; tell: (result: Result) => void },
): Promise<Result[]> {
  const results: Result[] = []
  const required = await consentRequired(url, access.partner)
  const needsConsent = (partner: PartnerCredentials | null) =>
    partner !== null && required.has(partner.id)
  const consenting = [access.partner, access.other].find(needsConsent) ?? null
  for (const group of GROUPS) {
    for (const one of group.cases.filter(({ title }) => options.includes(title))) {
      const caller = (one.needs === 'consenting' && consenting) || access.partner
      const bridge = new Bridge(url, caller, required)
      const problem = await outcome(one, { ...access, consenting, bridge, id: randomUUID() })
      const exchanges = [...bridge.exchanges]
      const kept = await bridge.clean().catch(() => ['unknown'])
      const { title, rule } = one
      const found = { group: group.name, title, rule, ...problem, exchanges }
      const result = { ...found, isClean: kept.length === 0 }
      results.push(result)
      options.tell(result)
    }
  }
  return results
}

/** Returns the ids of the partners that need a permission to debit; none if the service doesn't say. */
async function consentRequired(url: () => URL, partner: PartnerCredentials): Promise<Set<string>> {
  const bridge = new Bridge(url, partner)
  try {
    const { body } = await bridge.permissions(await bridge.stranger())
    const required = body.permissions?.filter(({ consent }) => consent === 'required') ?? []
    return new Set(required.map((permission) => permission.partner))
  } catch {
    return new Set()
  }
}

async function outcome(one: Case, kit: Kit): Promise<Pick<Result, 'outcome' | 'problem'>> {
  if (one.needs && kit[one.needs] === null) {
    return { outcome: 'skipped', problem: `needs ${NEEDS[one.needs]}` }
  }
  try {
    await one.run(kit)
    return { outcome: 'passed', problem: null }
  } catch (fault) {
    const problem =
      fault instanceof Broken ? fault.message : `the case could not run: ${String(fault)}`
    return { outcome: 'failed', problem }
  }
}

const NEEDS = {
  other: '--other-partner and --other-secret',
  consenting: 'a partner with consent = "required"',
  nextSecret: '--next-secret',
  restart: '--restart',
}
