import { readFileSync } from 'node:fs'
import { checksumAddress, isAddress, type Address, type Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { ROLES } from '../../operator/roles.ts'
import type { ActScope } from '../../operator/typed-data.ts'
import { devOperator } from '../shared/dev-players.ts'
import { CommandError, is32Bytes, readArgs, UsageError, wholeNumber } from '../shared/terminal.ts'

export const USAGE = `Usage: OPERATOR_PRIVATE_KEY=0x… npm run operate -- COMMAND [TARGET] --reason "…" [--url URL]

Show (viewer and above):
  status                        health, reserve, stuck messages, switches, and acts that wait
  acts                          acts that wait for another operator, and the newest that don't
  journal                       who signed what, and whether the journal's hashes and signatures hold
  modes                         what is not open, and the terms that were set; public, needs no key
  reconcile                     what the vault holds and who owns it; exits with 1 for a drift, or if
                                they have not been compared for five minutes
  books --from 2026-11-01       what games, partners and the house made, by day; exits with 1 if a day before today is
                                missing, incomplete or wrong
  stuck                         money that does not move, why, and what ends that; exits with 1 if there is any
  partners                      the partners: limits, switch, and what is owed; exits with 1 if PARTNERS lacks one that
                                has a balance
  rounds                        the newest rounds and voids, with their beacons
  rounds NUMBER                 a round beside drand's own record

  player 0x…                    (support) a wallet's balances, withdrawals, limits and journal; older entries: --before N
  verify 0x…                    (support) whether a wallet's journal adds up to its balances; exits with 1 if not
  verify-all                    (support) have every ledger verify its journal and its archive; exits with 1 for a failure
  export --out FOLDER           (admin) copy all journals into a folder, and replay them there; exits with 1 for a failure,
                                or if a journal lacks entries of its earlier copy, which is kept under another name

Acts of one operator:
  freeze 0x…                    (support) block the stakes, debits and withdrawals of a wallet
  mode crash=closed             (support) close switches: all, crash, a game, lootbox, boxes, token:…, partner:…
  mode ad:0x…=closed            (support) take an advertisement down, by the id of its rental
  mode withdrawals=closed       (treasurer) close the withdrawals
  drain                         (admin) finish what is open and take nothing new; the same as: mode all=draining
  open                          (admin) take stakes again; the same as: mode all=open
  mode crash=open,mines=draining
                                (admin) open or drain switches
  reproject positions           (admin) have every ledger resend its position to D1; or: reproject everything
  reproject books:2026-11-22    (admin) count the books of a day again, from the journals

  mode wallet:0x…=closed        (support) close a wallet before its ledger is restored

Acts that take two operators: one proposes, another confirms the same act before it expires.
  mode withdrawals=open         (treasurer) pay withdrawals again; or: mode withdrawals=draining
  unfreeze 0x…                  (treasurer) end an operator's freeze
  mode wallet:0x…=open          (treasurer) open a wallet whose ledger was restored
  restore 0x…@2026-11-22T10:00:00Z
                                (treasurer) have the ledger of a closed wallet go back to a time, and resume from what other
                                objects know; without a time if it has gone back already
  write-off 0x…                 (treasurer) end a wait for lost deposits; the house bears the loss. For its own lost funds:
                                write-off house
  confirm-withdrawal 0x…:NONCE  (treasurer) the vault used the nonce for another payment; the chips are gone
  release-withdrawal 0x…:NONCE  (treasurer) the withdrawal can never be paid; refund its chips
  terms '{"crash.edgeBps": 150}'
                                (treasurer) set terms of play, or null for one that holds as configured again:
                                crash.edgeBps, entropy.edgeBps, crash.limits.ETH, entropy.limits.USDG, …,
                                autoplay, minPlayMs
  confirm HASH                  show an act that waits, and sign it once you have said yes. For another wallet's
                                signature (--print, --signature), any operator's key shows the act

  --url URL          the service, as operators sign in to it  (http://localhost:8787)
  --from, --to DAY   the first and the last day of the books  (the last: the first)
  --before N         entries of the journal before this one
  --contract 0x…     journal: an operator's contract wallet, whose signatures only it can check; may be repeated
  --origin URL       journal: a former OPERATE_ORIGIN, for which earlier acts were signed; may be repeated
  --vault 0x…        journal: a former VAULT_ADDRESS, likewise; 0x0000000000000000000000000000000000000000 for none
  --chain N          journal: a former CHAIN_ID, likewise
  --csv              the books as CSV, in smallest units
  --after CURSOR     verify-all, export: resume after this cursor, which an earlier run printed
  --out FOLDER       export: the folder
  --reason TEXT      the reason, for the journal
  --key-file PATH    the operator's key, instead of OPERATOR_PRIVATE_KEY
  --as ROLE          local play: sign as its admin, treasurer, support or viewer, whose keys are public
  --expires-at N     when the act expires, in unix seconds  (an hour from now)
  --yes              confirm: sign without a question, for scripts
  --print            only print the data to sign (EIP-712), for a multisig or a hardware wallet
  --operator 0x…     the wallet that signed the printed data
  --signature 0x…    its signature; a new act needs the same --reason and --expires-at as when it was printed

With METRICS_TOKEN set to the service's secret of that name, reconcile and books need no key.
OPERATORS in fairhouse.toml names the operators and their roles. Behind Cloudflare Access, set CF_ACCESS_CLIENT_ID
and CF_ACCESS_CLIENT_SECRET to a service token.`

const OPTIONS = {
  url: { type: 'string', default: 'http://localhost:8787' },
  reason: { type: 'string' },
  'key-file': { type: 'string' },
  as: { type: 'string' },
  'expires-at': { type: 'string' },
  yes: { type: 'boolean', default: false },
  print: { type: 'boolean', default: false },
  operator: { type: 'string' },
  signature: { type: 'string' },
  before: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  contract: { type: 'string', multiple: true },
  origin: { type: 'string', multiple: true },
  vault: { type: 'string', multiple: true },
  chain: { type: 'string', multiple: true },
  csv: { type: 'boolean', default: false },
  after: { type: 'string' },
  out: { type: 'string' },
} as const

/** Each command of the usage with its description, which may continue on further lines. */
const COMMANDS = USAGE.split(/\n(?! {20})/).flatMap((text) => {
  const name = /^ {2}([a-z][a-z-]*) /.exec(text)?.[1]
  return name === undefined ? [] : [{ name, text }]
})

/** Returns the usage of a command, or the general form of a command if this one is unknown. */
export function usageOf(command: string): string {
  const [first = ''] = USAGE.split('\n')
  const texts = COMMANDS.filter(({ name }) => name === command).map(({ text }) => text)
  const about = texts.length > 0 ? ['Usage:', ...texts] : [first]
  return [...about, 'All commands and options: npm run operate -- --help'].join('\n')
}

/** Returns the names of all commands, in the order of the usage. */
export function commandNames(): string[] {
  return [...new Set(COMMANDS.map(({ name }) => name))]
}

export function readOptions() {
  const config = { options: OPTIONS, allowPositionals: true } as const
  const { values, positionals } = readArgs(USAGE, config, usageOf(''))
  return { ...values, positionals }
}

export type Options = ReturnType<typeof readOptions>

/** A failure that the usage of a command explains. */
export function misused(message: string, command = ''): UsageError {
  return new UsageError(message, usageOf(command))
}

/** Returns the headers that get a command past Cloudflare Access; none without a service token. */
export function accessHeaders(): Record<string, string> {
  const id = process.env['CF_ACCESS_CLIENT_ID']
  const secret = process.env['CF_ACCESS_CLIENT_SECRET']
  if (!id || !secret) return {}
  return { 'cf-access-client-id': id, 'cf-access-client-secret': secret }
}

/** Returns the operator's account, by a key in the environment or a file. */
export function operatorAccount(options: Options): PrivateKeyAccount {
  return privateKeyToAccount(privateKey(options))
}

/** Returns the wallet that signed printed data, and its signature; null if the command has to sign. */
export function givenSignature({
  operator,
  signature,
}: Options): { operator: Address; signature: Hex } | null {
  if (signature === undefined) return null
  if (operator === undefined)
    throw misused('--signature also needs --operator, the wallet that signed.')
  return { operator: operator as Address, signature: signature as Hex }
}

/** Returns the contract wallets that --contract names, in EIP-55 form. */
export function contractsOf({ contract: wallets = [] }: Options): Address[] {
  return addressesOf(wallets, '--contract takes the address of a wallet')
}

/** Sites, vaults and chains that acts were signed for before the present ones. */
interface Former {
  origins: string[]
  vaults: Address[]
  chains: number[]
}

/** Returns the former sites, vaults and chains that --origin, --vault and --chain name. */
export function formerOf({
  origin: origins = [],
  vault: vaults = [],
  chain: chains = [],
}: Pick<Options, 'origin' | 'vault' | 'chain'>): Former {
  const wrong = origins.find((text) => !URL.canParse(text) || new URL(text).origin !== text)
  if (wrong !== undefined) {
    const problem = `--origin takes an origin like https://operate.example.com, not ${wrong}.`
    throw misused(problem, 'journal')
  }
  return {
    origins,
    vaults: addressesOf(vaults, '--vault takes the address of a vault'),
    chains: chains.map((text) => wholeNumber('--chain', text, 1, Number.MAX_SAFE_INTEGER)),
  }
}

/**
 * Returns the scopes that acts may have been signed for: the present scope first, and each site with each vault on each
 * chain.
 */
export function scopesOf(present: ActScope, { origins, vaults, chains }: Former): ActScope[] {
  return [present.site, ...origins].flatMap((site) =>
    [present.verifyingContract, ...vaults].flatMap((verifyingContract) =>
      [present.chainId, ...chains].map((chainId) => ({ site, verifyingContract, chainId })),
    ),
  )
}

function addressesOf(texts: readonly string[], takes: string): Address[] {
  return texts.map((text) => {
    if (isAddress(text)) return checksumAddress(text)
    throw misused(`${takes}: 0x and 40 hex digits.`, 'journal')
  })
}

function privateKey({ as: role, 'key-file': file }: Options): Hex {
  if (role !== undefined) {
    const known = ROLES.find((each) => each === role)
    if (known === undefined) throw misused(`--as takes one of: ${ROLES.join(', ')}.`)
    return devOperator(known).privateKey
  }
  const key = file === undefined ? process.env['OPERATOR_PRIVATE_KEY'] : readKeyFile(file)
  if (is32Bytes(key)) return key
  throw misused(
    'Set OPERATOR_PRIVATE_KEY to 0x and 64 hex digits, or pass --key-file. In local play, pass --as ROLE. A new act can be signed elsewhere (--print, then --operator and --signature), but looking takes a key, also for confirm.',
  )
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new CommandError(`The file ${path} can't be read.`)
  }
}
