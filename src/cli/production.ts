// npm run production: runs wrangler with the configuration of production.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { examine } from './doctor/examine.ts'
import { checkedBefore } from './production/command.ts'
import { writeProduction } from './production/configuration.ts'
import { PROJECT_DIR } from './shared/manifest.ts'
import { runCommand } from './shared/terminal.ts'

const USAGE = `Usage: npm run production -- COMMAND

Runs a command of wrangler on production: on wrangler.toml with the settings of fairhouse.toml. For example:

  secret bulk .dev.vars.production
                       the doctor first checks that the service would start with them
  d1 migrations apply DB --remote
  deploy               the doctor checks everything first
  versions upload      the same, without sending it requests
  dev                  production on this machine, with the secrets in .dev.vars.production`

void runCommand(async () => {
  const args = process.argv.slice(2)
  if (args.length === 0 || ['--help', '-h'].includes(args[0] ?? '')) {
    console.log(USAGE)
    return args.length === 0 ? 1 : 0
  }
  const checked = checkedBefore(args)
  const config = await writeProduction('.')
  if (checked !== 'nothing' && !(await examine(config, 'production', checked))) return 1
  const wrangler = join(PROJECT_DIR, 'node_modules/wrangler/bin/wrangler.js')
  const command = [wrangler, ...args, '--config', config, '--env', 'production']
  const child = spawn(process.execPath, command, { stdio: 'inherit' })
  // Ctrl-C reaches wrangler too, which then ends on its own.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  return exitCode ?? 1
})
