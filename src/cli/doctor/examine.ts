import { styleText } from 'node:util'
import { checkChain, problemsOf, type ChainCheck } from '../../chain/check.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError, loadConfig } from '../../config/load.ts'
import { counted } from '../../core/words.ts'
import { CommandError, printCheck, say } from '../shared/terminal.ts'
import {
  beaconChecks,
  fundChecks,
  locationChecks,
  lootboxChecks,
  operatorChecks,
  partnerChecks,
  proxyChecks,
  proofChecks,
  supportChecks,
  watchChecks,
} from './checks.ts'
import { readSettings, settingChecks } from './settings.ts'
import { siteChecks } from './site-checks.ts'

/**
 * Examines an environment of a wrangler.toml and prints the findings.
 * @param what `settings`: only whether the service starts with them, without asking anybody else
 * @returns whether everything is right
 * @throws CommandError if there is no such configuration or environment
 */
export async function examine(
  path: string,
  env: string | undefined,
  what: 'everything' | 'settings' = 'everything',
): Promise<boolean> {
  // The file is what gets uploaded.
  const settings = await readSettings(path, env, what === 'settings' ? {} : process.env)
  const shown = [show('Settings', settingChecks(settings))]
  const { config, checks } = load(settings.vars)
  shown.push(show('Configuration', checks))
  if (config && what === 'everything') {
    for (const [heading, check] of Object.entries(SECTIONS)) {
      shown.push(show(heading, await answered(() => check(config))))
    }
  }
  return conclude(shown.flat())
}

const SECTIONS: Record<string, (config: Config) => Promise<ChainCheck[]>> = {
  Chain: checkChainAndFunds,
  'Running site': siteChecks,
  'RPC proxy': async (config) => proxyChecks(config),
  Randomness: beaconChecks,
  Proofs: async (config) => proofChecks(config),
  Location: async (config) => locationChecks(config),
  Metrics: async (config) => watchChecks(config),
  Support: async (config) => supportChecks(config),
  Operators: async (config) => operatorChecks(config),
  Lootbox: async (config) => lootboxChecks(config),
  Partners: async (config) => partnerChecks(config),
}

/** Checks the chain and, if everything there is right, the funds: a wrong address has the wrong funds. */
async function checkChainAndFunds(config: Config): Promise<ChainCheck[]> {
  const checks = await checkChain(config)
  return problemsOf(checks).length === 0 ? [...checks, ...(await fundChecks(config))] : checks
}

function load(vars: Record<string, unknown>): { config: Config | null; checks: ChainCheck[] } {
  const claim = 'the service starts with this configuration'
  try {
    const everything: object = vars
    const config = loadConfig(everything as Env)
    return { config, checks: [{ claim, problem: null }] }
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault
    const checks = fault.problems.map((problem) => ({ claim: claimOn(problem), problem }))
    return { config: null, checks }
  }
}

/** Names the setting that a problem begins with, so that two failed checks differ in their names. */
function claimOn(problem: string): string {
  const [setting = 'configuration'] = /^[A-Z]+(_[A-Z]+)*(?=[ :.[])/.exec(problem) ?? []
  return `the service starts with this ${setting}`
}

/** Runs checks. Reports a node that doesn't answer as a failed check. */
async function answered(check: () => Promise<ChainCheck[]>): Promise<ChainCheck[]> {
  try {
    return await check()
  } catch (fault) {
    if (fault instanceof CommandError) throw fault
    const reason = fault instanceof Error && 'shortMessage' in fault ? fault.shortMessage : fault
    const problem = `The node at CHAIN_RPC_URL did not answer: ${String(reason)} Check the URL and its key, and try again.`
    return [{ claim: 'the node answers', problem }]
  }
}

/** Prints a section. @returns its checks */
function show(heading: string, checks: ChainCheck[]): ChainCheck[] {
  if (checks.length > 0) console.log(`\n${styleText('bold', heading)}`)
  for (const { claim, problem, warning } of checks) {
    if (warning === undefined) printCheck({ claim, holds: problem === null })
    else say(`  ! ${claim}`, 'yellow')
    const told = problem ?? warning
    if (told !== undefined) console.log(`    ${told}`)
  }
  return checks
}

/** Prints the verdict. @returns whether no check has failed */
function conclude(checks: ChainCheck[]): boolean {
  const failed = checks.filter(({ problem }) => problem !== null).length
  const warnings = checks.filter(({ warning }) => warning !== undefined).length
  const but = warnings === 0 ? '' : `, with ${counted(warnings, 'warning')}`
  console.log(
    failed === 0
      ? styleText('green', `\nAll checks passed${but}.`)
      : styleText('red', `\nFailed checks: ${failed}. Fix the problems above before you deploy.`),
  )
  return failed === 0
}
