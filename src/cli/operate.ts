// npm run operate: shows the service to an operator, and has it carry out acts that operators sign.
import { ACTS } from '../operator/act.ts'
import type { ModesVersion } from '../operator/versions.ts'
import { confirmAct, submitAct } from './operate/acts.ts'
import {
  showBeacon,
  showPartners,
  showPlayer,
  showRounds,
  showStuck,
  showVerified,
} from './operate/inspect.ts'
import { exportJournals, verifyAll } from './operate/journals.ts'
import { showBooks, showReconciliation } from './operate/money.ts'
import {
  accessHeaders,
  contractsOf,
  formerOf,
  misused,
  operatorAccount,
  readOptions,
  scopesOf,
  type Options,
} from './operate/options.ts'
import { moneyHeaders, Session } from './operate/session.ts'
import { showActs, showJournal, showModes, showStatus } from './operate/show.ts'
import { Client } from './shared/client.ts'
import { runCommand } from './shared/terminal.ts'

type Command = (client: Client, options: Options) => Promise<number>

const COMMANDS: Readonly<Record<string, Command>> = {
  async modes(client) {
    const query = { action: 'modes' }
    const { version } = await client.get<{ version: ModesVersion | null }>('/api/operate', query)
    showModes(version)
    return 0
  },
  async status(client, options) {
    const session = await Session.signIn(client, operatorAccount(options))
    const state = await session.state()
    showStatus(state)
    return state.health.status === 'up' ? 0 : 1
  },
  async acts(client, options) {
    const session = await Session.signIn(client, operatorAccount(options))
    showActs((await session.state()).acts)
    return 0
  },
  async journal(client, options) {
    const [contracts, former] = [contractsOf(options), formerOf(options)]
    const session = await Session.signIn(client, operatorAccount(options))
    const entries = await session.journal()
    const scopes = scopesOf(session.scope, former)
    return (await showJournal(scopes, entries, contracts)) ? 0 : 1
  },
  'verify-all': async (client, options) =>
    verifyAll(await Session.signIn(client, operatorAccount(options)), options.after ?? null),
  export: async (client, options) => {
    const session = await Session.signIn(client, operatorAccount(options))
    return exportJournals(session, options.out, options.after ?? null)
  },
  async reconcile(client, options) {
    return showReconciliation(client, await moneyHeaders(client, () => operatorAccount(options)))
  },
  async books(client, options) {
    return showBooks(client, options, await moneyHeaders(client, () => operatorAccount(options)))
  },
  stuck: looking((ask) => showStuck(ask, Date.now())),
  player: looking((ask, options) => showPlayer(ask, walletOf(options), options.before)),
  verify: looking((ask, options) => showVerified(ask, walletOf(options))),
  partners: looking(showPartners),
  rounds: looking((ask, { positionals: [, round] }) =>
    round === undefined ? showRounds(ask) : showBeacon(ask, round),
  ),
  confirm: async (client, options) => confirmAct(client, options),
}

void runCommand(async () => {
  const options = readOptions()
  const client = new Client(options.url, undefined, accessHeaders())
  const name = options.positionals[0] ?? ''
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return command ? command(client, options) : submitAct(client, options)
})

/** Signs in before showing something to an operator. */
function looking(show: (ask: Session['ask'], options: Options) => Promise<number>): Command {
  return async (client, options) => {
    const session = await Session.signIn(client, operatorAccount(options))
    return show((path, query) => session.askToShow(path, query), options)
  }
}

function walletOf({ positionals: [command, wallet = ''] }: Options): string {
  if (ACTS.freeze.test(wallet)) return wallet
  throw misused('The wallet is missing: 0x and 40 hex digits.', command)
}
