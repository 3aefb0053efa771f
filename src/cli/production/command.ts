import { CommandError } from '../shared/terminal.ts'
import { OPERATED } from './configuration.ts'

/** Where the secrets of production are. */
const SECRETS_FILE = '.dev.vars.production'

/** The options that replace what the doctor has checked, in any form. After "--", wrangler would read no options. */
const REPLACING = /^(--(var|env|config|name|cwd)(=|$)|--$|-\w*[ec])/

/** The checks before a command: everything, no more than the settings themselves, or nothing. */
type Checked = 'everything' | 'settings' | 'nothing'

/**
 * Returns the doctor's checks before a command: everything before one that sends a version to Cloudflare. Secrets are
 * set before the first deployment, when the funds and the site may be missing.
 * @param args of wrangler, without the configuration
 * @throws CommandError if they replace settings, or don't begin with the command
 */
export function checkedBefore(args: string[]): Checked {
  const replacing = args.find((arg) => REPLACING.test(arg))
  if (replacing !== undefined) {
    const [option] = replacing.split('=')
    throw new CommandError(
      `${option} can't be used here: the configuration of production comes from ${OPERATED}. Change that file, and run the command without ${option}.`,
    )
  }
  // Only wrangler knows which options take a value, so a word after an option can be either a value or the command.
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const command = args.slice(0, end === -1 ? args.length : end).join(' ')
  if (['', 'versions'].includes(command)) {
    throw new CommandError(
      'Write the whole command before its options, for example: npm run production -- versions upload --tag 0.3.0',
    )
  }
  if (/^(deploy|versions upload)( |$)/.test(command)) return 'everything'
  if (!/^(versions )?secret bulk( |$)/.test(command)) return 'nothing'
  if (!command.endsWith(`secret bulk ${SECRETS_FILE}`)) {
    throw new CommandError(
      `Only the secrets in ${SECRETS_FILE} are checked. Change them there, and run: npm run production -- secret bulk ${SECRETS_FILE}`,
    )
  }
  return 'settings'
}
