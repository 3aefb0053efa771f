// npm run operate: has the service carry out an act signed by the vault's owner, and shows what it knows of its money.
import { serializeTypedData, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { ownerActTypedData } from '../chain/owner-act.ts'
import { isoTime } from '../core/utc-day.ts'
import { ACTS, type Act, type ActName, type KeptAct } from '../operator/act.ts'
import type { ModesVersion } from '../operator/modes.ts'
import { showBooks, showReconciliation } from './operate/money.ts'
import { Client } from './shared/client.ts'
import { CommandError, is32Bytes, readArgs, runCommand, wholeNumber } from './shared/terminal.ts'

const USAGE = `Usage: OWNER_PRIVATE_KEY=0x… npm run operate -- ACT TARGET --reason "…" [--url URL]

  drain                         let open bets and games finish, take nothing new; the same as: mode all=draining
  open                          take stakes again; the same as: mode all=open
  mode crash=closed,token:ETH=draining
                                set switches to open, draining or closed: all, crash, a game, lootbox, boxes,
                                withdrawals, token:…, partner:…
  terms '{"crash.edgeBps": 150}'
                                set terms of play, or null for one that holds as configured again:
                                crash.edgeBps, entropy.edgeBps, crash.limits.ETH, entropy.limits.USDG, …,
                                autoplay, minPlayMs
  modes                         show the switches that are not open, and the terms that were set; needs no key
  freeze 0x…                    stop a wallet's stakes, debits and withdrawals
  unfreeze 0x…                  end that; for a wallet that is frozen for lost deposits, the house bears the loss
  confirm-withdrawal 0x…:NONCE  the vault used the nonce for another payment; the chips are gone
  release-withdrawal 0x…:NONCE  the withdrawal can never be paid; refund its chips
  reproject positions           have every ledger resend its position to D1; or: reproject everything
  reproject books:2026-11-22    count the books of a day again, from the journals

These two read with METRICS_TOKEN:

  reconcile                     show what the vault holds and who owns it; exits with 1 if something is unaccounted for
  books --from 2026-11-01       show what games, partners and the house made, by day

  --url URL          the service  (http://localhost:8787)
  --from, --to DAY   the first and the last day of the books  (the last: the first)
  --csv              the books as CSV, in smallest units
  --reason TEXT      the reason, for the journal
  --expires-at N     when the act expires, in unix seconds  (10 minutes from now)
  --print            only print the data to sign (EIP-712), for a multisig or a hardware wallet
  --signature 0x…    the owner's signature of the printed data; needs the same --expires-at

The owner is the owner of the vault contract. Each act is carried out once. Local play without a vault needs no key.`

const OPTIONS = {
  url: { type: 'string', default: 'http://localhost:8787' },
  reason: { type: 'string' },
  'expires-at': { type: 'string' },
  print: { type: 'boolean', default: false },
  signature: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  csv: { type: 'boolean', default: false },
} as const

const LIFETIME_S = 600

/** Short forms of acts. */
const SHORT: Readonly<Record<string, [string, string]>> = {
  drain: ['mode', 'all=draining'],
  open: ['mode', 'all=open'],
}

/** What is only read, and needs no key of the owner. */
const READERS: Readonly<
  Record<
    string,
    (client: Client, days: { from?: string; to?: string; csv: boolean }) => Promise<number>
  >
> = { modes: showModes, reconcile: showReconciliation, books: showBooks }

interface PublicTable {
  config: { chain: { chainId: number; vault: Address; usdg: Address } | null }
}

void runCommand(async () => {
  const { values, positionals } = readArgs(USAGE, { options: OPTIONS, allowPositionals: true })
  const reader = READERS[positionals[0] ?? '']
  if (reader) return reader(new Client(values.url), values)
  const [name = '', target = ''] = SHORT[positionals[0] ?? ''] ?? positionals
  if (!isAct(name))
    throw new CommandError(
      name === '' ? `The act is missing.\n\n${USAGE}` : `${name} is not a known act.\n\n${USAGE}`,
    )
  if (!ACTS[name].test(target))
    throw new CommandError(`The target does not have the form for ${name}.\n\n${USAGE}`)
  if (!values.reason) throw new CommandError(`--reason is missing.\n\n${USAGE}`)

  const client = new Client(values.url)
  const { config } = await client.get<PublicTable>('/api/crash', { action: 'watch' })
  // Without a vault there is no owner: only local play takes such acts.
  if (!config.chain) {
    const order = { act: name, target, reason: values.reason }
    return report(await client.post<{ act: KeptAct }>('/api/dev/operate', order))
  }
  const { chainId, vault: address, usdg } = config.chain
  const { nonce } = await client.get<{ nonce: number }>('/api/operate')
  const act: Act = {
    act: name,
    target,
    reason: values.reason,
    nonce,
    expiresAt: expiresAt(values['expires-at']),
  }
  const typedData = ownerActTypedData({ chainId, address, usdg }, act)
  if (values.print) {
    console.log(serializeTypedData(typedData))
    return 0
  }
  const signature = values.signature ?? (await sign(typedData))
  return report(await client.post<{ act: KeptAct }>('/api/operate', { ...act, signature }))
})

function report({ act: { result } }: { act: KeptAct }): number {
  console.log(result?.message ?? 'Accepted. The service will carry it out as soon as possible.')
  return result?.isDone === false ? 1 : 0
}

async function showModes(client: Client): Promise<number> {
  const { version } = await client.get<{ version: ModesVersion | null }>('/api/operate', {
    action: 'modes',
  })
  const modes = Object.entries(version?.modes ?? {})
  if (modes.length === 0) console.log('Everything is open.')
  for (const [name, mode] of modes) console.log(`${name}: ${mode}`)
  for (const [name, value] of Object.entries(version?.terms ?? {})) {
    console.log(`${name}: ${JSON.stringify(value)}`)
  }
  if (version) {
    console.log(`Version ${version.number}, in effect from ${isoTime(version.takesEffectAt)}.`)
  }
  return 0
}

function sign(typedData: ReturnType<typeof ownerActTypedData>): Promise<Hex> {
  const privateKey = process.env['OWNER_PRIVATE_KEY']
  if (!is32Bytes(privateKey)) {
    throw new CommandError(
      `Set OWNER_PRIVATE_KEY to 0x and 64 hex digits, or pass --print and --signature.\n\n${USAGE}`,
    )
  }
  return privateKeyToAccount(privateKey).signTypedData(typedData)
}

function expiresAt(option: string | undefined): number {
  const now = Math.floor(Date.now() / 1_000)
  return option === undefined
    ? now + LIFETIME_S
    : wholeNumber('--expires-at', option, now, Number.MAX_SAFE_INTEGER)
}

function isAct(name: string): name is ActName {
  return Object.hasOwn(ACTS, name)
}
