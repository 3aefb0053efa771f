import { serializeTypedData } from 'viem'
import type { z } from 'zod'
import type { ActAnswer } from '../../api/operator/answers-schema.ts'
import { actHash } from '../../chain/operator-act.ts'
import { isoTime } from '../../core/utc-day.ts'
import { listed } from '../../core/words.ts'
import { ACTS, isTargetOf, type Act, type ActName } from '../../operator/act.ts'
import { ACT_LIFETIME_S } from '../../operator/approval.ts'
import { actTypedData, type ActScope } from '../../operator/typed-data.ts'
import type { Client } from '../shared/client.ts'
import { CommandError, isConfirmed, printableIn, say, wholeNumber } from '../shared/terminal.ts'
import { commandNames, givenSignature, misused, operatorAccount, type Options } from './options.ts'
import { readScope, Session } from './session.ts'
import { showAct } from './show.ts'

/** Short forms of acts. */
const SHORT: Readonly<Record<string, [string, string]>> = {
  drain: ['mode', 'all=draining'],
  open: ['mode', 'all=open'],
}

const WALLET = 'a wallet: 0x and 40 hex digits, in mixed case with its checksum'
const WITHDRAWAL = 'a wallet and the nonce of its withdrawal, such as 0x…:3'

/** The form of each act's target, in words. */
const TARGETS: Readonly<Record<ActName, string>> = {
  freeze: WALLET,
  unfreeze: WALLET,
  'write-off': `${WALLET}; or house`,
  'confirm-withdrawal': WITHDRAWAL,
  'release-withdrawal': WITHDRAWAL,
  restore: 'a wallet, with a time or without one, such as 0x…@2026-11-22T10:00:00Z',
  reproject: 'positions, everything or the books of a day, such as books:2026-11-22',
  mode: 'switches, each with open, draining or closed, such as crash=closed or crash=open,mines=draining',
  terms: `JSON in quotes, such as '{"crash.edgeBps": 150}'`,
}

/** Orders an act, or proposes one that takes two operators. */
export async function submitAct(client: Client, options: Options): Promise<number> {
  const [name = '', target = ''] = SHORT[options.positionals[0] ?? ''] ?? options.positionals
  const typed = options.positionals[0] ?? ''
  if (!isAct(name)) {
    const what = name === '' ? 'The command is missing.' : `${name} is not a known command.`
    throw misused(`${what} The commands are ${listed(commandNames())}.`)
  }
  if (!isTargetOf(name, target)) {
    throw misused(`The target of ${name} must be ${TARGETS[name]}.`, typed)
  }
  if (!options.reason) throw misused('--reason is missing: why, for the journal.', typed)
  const expiresAt = expiryOf(options['expires-at'])
  return sign(client, options, await readScope(client), {
    act: name,
    target,
    reason: options.reason,
    expiresAt,
  })
}

/**
 * Confirms an act that another operator has proposed.
 * @param isMeant asks the operator whether they mean to sign the act that they are shown
 */
export async function confirmAct(
  client: Client,
  options: Options,
  isMeant = isConfirmed,
): Promise<number> {
  const account = operatorAccount(options)
  const isSignedHere = !options.print && options.signature === undefined
  // The wallet that signs elsewhere isn't known before it has signed.
  const signer = options.print ? null : (givenSignature(options)?.operator ?? account.address)
  const session = await Session.signIn(client, account)
  const { acts } = await session.state()
  const kept = acts.waiting.find(({ hash }) => hash === options.positionals[1]?.toLowerCase())
  if (!kept) throw new CommandError('No act with this hash waits. See: npm run operate -- acts')
  const { act, target, reason, expiresAt, hash, approvals } = kept
  const ordered = { act, target, reason, expiresAt }
  if (actHash(session.scope, ordered) !== hash) {
    throw new CommandError('The act does not have this hash, so the service is not to be trusted.')
  }
  if (approvals.some(({ operator }) => operator === signer)) {
    throw new CommandError(`${signer} has signed this act. Another operator has to confirm it.`)
  }
  showAct(kept)
  if (isSignedHere && !options.yes && !(await isMeant('Sign this act?'))) {
    console.log('Not signed. To sign without a question, pass --yes.')
    return 1
  }
  return sign(client, options, session.scope, ordered)
}

async function sign(client: Client, options: Options, scope: ActScope, act: Act): Promise<number> {
  const typedData = actTypedData(scope, act)
  if (options.print) {
    say(serializeTypedData(typedData))
    return 0
  }
  const given = givenSignature(options)
  const account = given ? null : operatorAccount(options)
  const signed = account
    ? { operator: account.address, signature: await account.signTypedData(typedData) }
    : given
  return report(printableIn(await client.post('/api/operate', { ...act, ...signed })), options.url)
}

function report(
  { act: { result, decidedAt, expiresAt, hash } }: z.infer<typeof ActAnswer>,
  url: string,
): number {
  if (decidedAt === null) {
    const confirm = `npm run operate -- confirm ${hash} --url ${url}`
    console.log(
      `Proposed. Another operator has to confirm it by ${isoTime(expiresAt * 1_000)}: ${confirm}`,
    )
    return 0
  }
  console.log(result?.message ?? 'Accepted. The service will carry it out as soon as possible.')
  return result?.isDone === false ? 1 : 0
}

function expiryOf(option: string | undefined): number {
  const now = Math.floor(Date.now() / 1_000)
  return option === undefined
    ? now + ACT_LIFETIME_S
    : wholeNumber('--expires-at', option, now, Number.MAX_SAFE_INTEGER)
}

function isAct(name: string): name is ActName {
  return Object.hasOwn(ACTS, name)
}
