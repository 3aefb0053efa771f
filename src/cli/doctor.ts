// npm run doctor: checks a configuration before it is deployed.
import { examine } from './doctor/examine.ts'
import { SECRETS } from './doctor/settings.ts'
import { readArgs, runCommand } from './shared/terminal.ts'

const USAGE = `Usage: npm run doctor -- [--env production] [--config wrangler.toml]

  --env NAME      the environment in wrangler.toml; default: local play
  --config FILE   the configuration  (wrangler.toml)

Checks the configuration and its secrets against the chain, drand and the funding. Changes nothing.
The secrets (${SECRETS.join(', ')})
come from the environment or, if not set there, from .dev.vars.<env> next to the configuration, or from
.dev.vars if that file doesn't exist. Use the service's own values.
Exits with 0 if all checks pass, and with 1 otherwise.`

void runCommand(async () => {
  const { values } = readArgs(USAGE, {
    options: {
      env: { type: 'string' },
      config: { type: 'string', default: 'wrangler.toml' },
    },
  })
  return (await examine(values.config, values.env)) ? 0 : 1
})
