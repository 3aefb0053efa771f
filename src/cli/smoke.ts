// npm run smoke: checks a running site from outside, such as a version that was just deployed.
import { styleText } from 'node:util'
import { Client } from './shared/client.ts'
import { printChecks, readArgs, runCommand } from './shared/terminal.ts'
import { smokeChecks } from './smoke/checks.ts'

const USAGE = `Usage: npm run smoke -- URL [--version ID] [--worker fairhouse]

  --version ID    the version that must answer, while several are deployed
  --worker NAME   the name of the Worker that it is a version of  (fairhouse)

Reads what a player's browser and a verifier read first, and sends one stake that must be refused. Needs no
key, changes nothing, and takes a few seconds. Exits with 0 if all checks pass, and with 1 otherwise.`

void runCommand(async () => {
  const { positionals, values } = readArgs(USAGE, {
    allowPositionals: true,
    options: { version: { type: 'string' }, worker: { type: 'string', default: 'fairhouse' } },
  })
  const [url = 'http://localhost:8787'] = positionals
  const { baseUrl } = new Client(url)
  const { version: id, worker } = values
  const results = await smokeChecks(baseUrl, id === undefined ? null : { worker, id })
  for (const { claim, problem } of results) {
    if (problem !== null) console.error(styleText('red', `${claim}: ${problem}`))
  }
  const checks = results.map(({ claim, problem }) => ({ claim, holds: problem === null }))
  return printChecks(checks, `${baseUrl.origin} works.`, 'Not everything works: see above.') ? 0 : 1
})
