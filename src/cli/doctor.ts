// npm run doctor: checks a configuration before it is deployed.
import { examine } from './doctor/examine.ts'
import { SECRETS } from './doctor/settings.ts'
import { writeProduction } from './production/configuration.ts'
import { readArgs, runCommand } from './shared/terminal.ts'

const USAGE = `Usage: npm run doctor -- [--env production] [--config FILE]

  --env NAME      the environment in the configuration; default: local play
  --config FILE   the configuration; default: wrangler.toml, for production with your fairhouse.toml over it

Checks the configuration and its secrets against the chain, drand and the funding. Changes nothing.
The secrets (${SECRETS.join(', ')})
come from the environment or, if not set there, from .dev.vars.<env> next to the configuration, or from
.dev.vars if that file doesn't exist. Use the service's own values.
Exits with 0 if all checks pass, and with 1 otherwise. A warning, marked with "!", fails no check.`

void runCommand(async () => {
  const { values } = readArgs(USAGE, {
    options: {
      env: { type: 'string' },
      config: { type: 'string' },
    },
  })
  const { env } = values
  const config =
    values.config ?? (env === 'production' ? await writeProduction('.') : 'wrangler.toml')
  return (await examine(config, env)) ? 0 : 1
})
