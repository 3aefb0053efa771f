// npm run verify -- <file, URL or receipt>: verifies disclosures and receipts on this machine, trusting nobody.
import { runCommand } from './shared/terminal.ts'
import { verifyResultsCommand } from './verify/results.ts'
import { verifySolvencyCommand } from './verify/solvency.ts'

void runCommand(async () => {
  const [first, ...rest] = process.argv.slice(2)
  return first === 'solvency' ? verifySolvencyCommand(rest) : verifyResultsCommand()
})
