import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { readAuditedLog } from '../../src/cli/audit/log.ts'
import type { Workers } from '../../src/cli/audit/pool.ts'
import { runAudit } from '../../src/cli/audit/run.ts'
import { exportSource } from '../../src/cli/audit/source.ts'
import { WORK } from '../../src/cli/audit/work.ts'
import { CommandError } from '../../src/cli/shared/terminal.ts'
import { paymentReader } from '../../src/cli/verify/payments.ts'
import { readReceipt } from '../../src/cli/verify/receipt-claims.ts'
import { verifyReceipts } from '../../src/cli/verify/receipts.ts'
import { verifyResultsCommand } from '../../src/cli/verify/results.ts'
import { verifySolvencyCommand } from '../../src/cli/verify/solvency.ts'
import { CHAIN } from '../simulation/chain/addresses.ts'
import { credentialsOf } from '../simulation/wallets.ts'
import { PUBLIC_KEY } from './beacon.ts'
import { ADA, BEN, CLEO, SITE } from './house.ts'
import type { Lie } from './lie.ts'
import { run } from './run.ts'
import type { Told } from './story.ts'

/** Does an audit's jobs here, which takes a thousandth of the time that a thread takes to start. */
const HERE: Workers = {
  room: async () => {},
  run: async (kind, job) => WORK[kind](structuredClone(job)),
  close: async () => {},
}

/** The public tools. Each returns what it finds wrong, as text; nothing if all is well. */
export const TOOLS: Record<Lie['caughtBy'], (told: Told) => Promise<string>> = {
  monitor: async ({ watch: { caught } }) => (caught ? `${caught.claim}: ${caught.finding}` : ''),

  verify: async ({ receipts, cashedOut }) => {
    const { text, passed } = await run(() => verifyReceipts(receipts, { file: null, logKey: null }))
    return passed ? doubtsIn(text, cashedOut) : text
  },

  'verify spin': async ({ spin }) => {
    if (!spin) return ''
    const folder = await mkdtemp(join(tmpdir(), 'fairhouse-spin-'))
    const path = join(folder, 'spin.json')
    await writeFile(path, JSON.stringify(spin))
    const options = [path, '--site', SITE, '--wallet', BEN]
    const given = vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'verify', ...options])
    const { text } = await run(verifyResultsCommand)
    given.mockRestore()
    await rm(folder, { recursive: true })
    return text.includes('Verified: the result is correct. ') ? '' : text
  },

  audit: async ({ house }) => {
    const readLog = (newestDay: string) => readAuditedLog(SITE, null, newestDay)
    const options = { from: null, to: null, workers: HERE, publicKey: PUBLIC_KEY, readLog }
    try {
      const readPayment = house.world.chain && (await paymentReader(CHAIN.rpcUrl))
      const { findings } = await runAudit(exportSource(SITE), { ...options, readPayment })
      return findings.map(({ where, problem }) => `${where}: ${problem}`).join('\n')
    } catch (fault) {
      if (fault instanceof CommandError) return fault.message
      throw fault
    }
  },

  'verify solvency': async (told) => {
    const found: string[] = []
    for (const wallet of [ADA, BEN, CLEO]) {
      const { text, passed } = await run(() => verifySolvencyCommand(argumentsOf(wallet, told)))
      if (!passed) found.push(text)
    }
    return found.join('\n')
  },
}

/** What verified receipts leave to their player to judge, but for the cash-outs that the player knows of. */
function doubtsIn(text: string, cashedOut: string[]): string {
  return text
    .split('\n')
    .filter((line) => /If (you did not|neither you)/.test(line))
    .filter((line) => !cashedOut.some((bet) => line.includes(bet)))
    .join('\n')
}

/** What a player gives to `npm run verify -- solvency`: a sign-in, the newest receipt, and a node of the chain. */
function argumentsOf(wallet: string, { house, receipts }: Told): string[] {
  const { authSig } = credentialsOf(wallet, house.now)
  const own = receipts
    .map((text) => ({ text, ...readReceipt(text).receipt }))
    .filter(({ sub }) => sub === wallet.toLowerCase())
  const newest = own.toSorted((a, b) => a.seq - b.seq).at(-1)
  if (!newest) throw new Error('every player has a receipt')
  const chain = ['--rpc', CHAIN.rpcUrl, '--vault', CHAIN.vault, '--usdg', CHAIN.usdg]
  return [SITE, '--wallet', wallet, '--auth-sig', authSig, '--receipts', newest.text, ...chain]
}
