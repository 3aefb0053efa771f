// npm run operate: shows the service to an operator, and has it carry out acts that operators sign.
import { serializeTypedData } from 'viem'
import type { z } from 'zod'
import type { ActAnswer } from '../api/operator/answers-schema.ts'
import { actHash } from '../chain/operator-act.ts'
import { isoTime } from '../core/utc-day.ts'
import { ACTS, type Act, type ActName } from '../operator/act.ts'
import type { ModesVersion } from '../operator/modes.ts'
import { actTypedData, type ActScope } from '../operator/typed-data.ts'
import { exportJournals, verifyAll } from './operate/journals.ts'
import {
  showBeacon,
  showPartners,
  showPlayer,
  showRounds,
  showStuck,
  showVerified,
} from './operate/look.ts'
import { showBooks, showReconciliation } from './operate/money.ts'
import {
  accessHeaders,
  givenSignature,
  misused,
  operatorAccount,
  readOptions,
  type Options,
} from './operate/options.ts'
import { moneyHeaders, readScope, Session } from './operate/session.ts'
import { showAct, showActs, showJournal, showModes, showStatus } from './operate/show.ts'
import { Client } from './shared/client.ts'
import { CommandError, runCommand, wholeNumber } from './shared/terminal.ts'

const LIFETIME_S = 3_600

/** Short forms of acts. */
const SHORT: Readonly<Record<string, [string, string]>> = {
  drain: ['mode', 'all=draining'],
  open: ['mode', 'all=open'],
}

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
    const session = await Session.signIn(client, operatorAccount(options))
    return (await showJournal(session.scope, await session.journal())) ? 0 : 1
  },
  'verify-all': async (client, options) =>
    verifyAll(await Session.signIn(client, operatorAccount(options)), options.after ?? null),
  export: async (client, options) =>
    exportJournals(await Session.signIn(client, operatorAccount(options)), options.out),
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
  confirm,
}

void runCommand(async () => {
  const options = readOptions()
  const client = new Client(options.url, undefined, accessHeaders())
  const name = options.positionals[0] ?? ''
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return command ? command(client, options) : order(client, options)
})

/** Signs in before showing something to an operator. */
function looking(show: (ask: Session['ask'], options: Options) => Promise<number>): Command {
  return async (client, options) => {
    const session = await Session.signIn(client, operatorAccount(options))
    return show((path, query) => session.ask(path, query), options)
  }
}

function walletOf({ positionals: [, wallet = ''] }: Options): string {
  if (ACTS.freeze.test(wallet)) return wallet
  throw misused('The wallet is missing: 0x and 40 hex digits.')
}

/** Orders an act, or proposes one that takes two operators. */
async function order(client: Client, options: Options): Promise<number> {
  const [name = '', target = ''] = SHORT[options.positionals[0] ?? ''] ?? options.positionals
  if (!isAct(name))
    throw misused(name === '' ? 'The act is missing.' : `${name} is not a known act.`)
  if (!ACTS[name].test(target)) throw misused(`The target does not have the form for ${name}.`)
  if (!options.reason) throw misused('--reason is missing.')
  const expiresAt = expiryOf(options['expires-at'])
  return sign(client, options, await readScope(client), {
    act: name,
    target,
    reason: options.reason,
    expiresAt,
  })
}

/** Confirms an act that another operator has proposed. */
async function confirm(client: Client, options: Options): Promise<number> {
  const account = operatorAccount(options)
  const session = await Session.signIn(client, account)
  const { acts } = await session.state()
  const kept = acts.waiting.find(({ hash }) => hash === options.positionals[1]?.toLowerCase())
  if (!kept) throw new CommandError('No act with this hash waits. See: npm run operate -- acts')
  const { act, target, reason, expiresAt, hash, approvals } = kept
  const ordered = { act, target, reason, expiresAt }
  if (actHash(session.scope, ordered) !== hash) {
    throw new CommandError('The act does not have this hash, so the service is not to be trusted.')
  }
  if (approvals.some(({ operator }) => operator === account.address)) {
    throw new CommandError('You have signed this act. Another operator has to confirm it.')
  }
  showAct(kept)
  return sign(client, options, session.scope, ordered)
}

async function sign(client: Client, options: Options, scope: ActScope, act: Act): Promise<number> {
  const typedData = actTypedData(scope, act)
  if (options.print) {
    console.log(serializeTypedData(typedData))
    return 0
  }
  const given = givenSignature(options)
  const account = given ? null : operatorAccount(options)
  const signed = account
    ? { operator: account.address, signature: await account.signTypedData(typedData) }
    : given
  return report(await client.post('/api/operate', { ...act, ...signed }))
}

function report({
  act: { result, decidedAt, expiresAt, hash },
}: z.infer<typeof ActAnswer>): number {
  if (decidedAt === null) {
    console.log(
      `Proposed. Another operator has to confirm it by ${isoTime(expiresAt * 1_000)}: npm run operate -- confirm ${hash}`,
    )
    return 0
  }
  console.log(result?.message ?? 'Accepted. The service will carry it out as soon as possible.')
  return result?.isDone === false ? 1 : 0
}

function expiryOf(option: string | undefined): number {
  const now = Math.floor(Date.now() / 1_000)
  return option === undefined
    ? now + LIFETIME_S
    : wholeNumber('--expires-at', option, now, Number.MAX_SAFE_INTEGER)
}

function isAct(name: string): name is ActName {
  return Object.hasOwn(ACTS, name)
}
