import { randomUUID } from 'node:crypto'
import { Bridge, type Exchange, type Player } from './bridge.ts'
import { Broken, type Case, type Kit } from './case.ts'
import { GROUPS } from './cases.ts'
import type { PartnerCredentials } from './token.ts'

/** The resources given to the kit. */
export type Access = Omit<Kit, 'bridge' | 'unmovedPlayer' | 'consenting' | 'id'>

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
  const shared = new SharedPlayer(new Bridge(url, access.partner, required))
  for (const group of GROUPS) {
    for (const one of group.cases.filter(({ title }) => options.includes(title))) {
      const caller = (one.needs === 'consenting' && consenting) || access.partner
      const bridge = new Bridge(url, caller, required)
      const unmovedPlayer = () => shared.get()
      const kit = { ...access, consenting, bridge, unmovedPlayer, id: randomUUID() }
      const problem = await outcome(one, kit)
      const exchanges = [...bridge.exchanges]
      const kept: unknown[] = await bridge.clean().catch(() => ['unknown'])
      // A case that failed may have moved its chips.
      if (problem.outcome === 'failed') kept.push(...(await shared.clean()))
      const { title, rule } = one
      const found = { group: group.name, title, rule, ...problem, exchanges }
      const result = { ...found, isClean: kept.length === 0 }
      results.push(result)
      options.tell(result)
    }
  }
  const [last, kept] = [results.at(-1), await shared.clean()]
  if (last && kept.length > 0) last.isClean = false
  return results
}

/** Shared by all cases whose calls move nothing, because a partner can credit only a limited number of new players. */
class SharedPlayer {
  readonly #bridge: Bridge
  #player: Promise<Player> | null = null

  constructor(bridge: Bridge) {
    this.#bridge = bridge
  }

  get(): Promise<Player> {
    this.#player ??= this.#bridge.player('3')
    return this.#player
  }

  /** Debits its chips again; the next case gets another player. @returns the players with chips left */
  async clean(): Promise<unknown[]> {
    this.#player = null
    return this.#bridge.clean().catch(() => ['unknown'])
  }
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
