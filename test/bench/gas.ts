import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Forge's report: the logs of each test, by contract. */
type Report = Record<string, { test_results: Record<string, { decoded_logs: string[] }> }>

/** The gas of each call of the vault, one line each, as its gas test logs it. */
export async function gasTable(root: string): Promise<string> {
  const forge = join(root, 'contracts/forge.mjs')
  const args = [forge, 'test', '--match-contract', 'VaultGasTest', '--isolate', '--json', '-vv']
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report
  const lines = Object.values(report).flatMap(({ test_results: results }) =>
    Object.values(results).flatMap(({ decoded_logs: logs }) => logs),
  )
  return lines
    .map((line) => {
      const at = line.lastIndexOf(': ')
      return `${line.slice(0, at).padEnd(36)}${line.slice(at + 2).padStart(8)}`
    })
    .join('\n')
}
