// npm run log-key: makes the signing key of a site's public log.
import { logOrigin } from '../transparency/checkpoint.ts'
import { signerKey, writeSignerKey, writeVerifierKey } from '../transparency/note.ts'
import { readArgs, runCommand, UsageError, wholeNumber } from './shared/terminal.ts'

const USAGE = `Usage: npm run --silent log-key -- SITE_ORIGIN [--generation N]

Prints a new key for the log of a site such as https://play.example.com. The first line is the secret LOG_KEY.
Publish the second line where players find it: it verifies the log's checkpoints.

  --generation N   for the site's Nth log, which succeeds one that was lost; 1 by default`

const SEED_BYTES = 32

void runCommand(async () => {
  const { values, positionals } = readArgs(USAGE, {
    options: { generation: { type: 'string', default: '1' } },
    allowPositionals: true,
  })
  const [site] = positionals
  if (site === undefined) throw new UsageError('SITE_ORIGIN is missing.', USAGE)
  if (!URL.canParse(site) || new URL(site).origin !== site) {
    throw new UsageError('SITE_ORIGIN must be an origin, without a path.', USAGE)
  }
  const generation = wholeNumber('--generation', values.generation, 1, 999_999)
  const key = signerKey(
    logOrigin(site, generation),
    crypto.getRandomValues(new Uint8Array(SEED_BYTES)),
  )
  console.log(`${writeSignerKey(key)}\n${writeVerifierKey(key.verifier)}`)
  return 0
})
