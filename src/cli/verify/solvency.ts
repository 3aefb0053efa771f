// npm run verify -- solvency <file or URL>: checks the house's debts against its vault's holdings.
import { isAddress, type Address } from 'viem'
import { SolvencyAnswer, WalletSolvencyAnswer } from '../../api/solvency/answers-schema.ts'
import { chainClient, readChainId } from '../../chain/client.ts'
import { blockTime, holdingsAt } from '../../chain/vault.ts'
import { messageOf } from '../../core/fault.ts'
import { isoTime } from '../../core/utc-day.ts'
import { listed } from '../../core/words.ts'
import { amountTexts, TOKENS } from '../../money/token.ts'
import type { Receipt } from '../../receipts/claims.ts'
import type { SolvencyProof, Statement } from '../../solvency/statement.ts'
import {
  CONFIRMED_BLOCKS,
  verifySolvency,
  type KnownOfSolvency,
  type ProvenWallet,
  type ShownEntry,
} from '../../verify/solvency.ts'
import { showAmount } from '../shared/amounts.ts'
import { fetchJson } from '../shared/client.ts'
import { CommandError, printCheck, readArgs, say, wholeNumber } from '../shared/terminal.ts'
import { readLogKey } from '../shared/verifier-key.ts'
import { readJsonFile } from './json-file.ts'
import { readAs } from './read.ts'
import { readReceipt } from './receipt-claims.ts'
import { receiptTexts } from './receipt-sources.ts'
import { readLogged } from './solvency-log.ts'
import { readTime } from './time.ts'

const USAGE = `Usage: npm run verify -- solvency <source> [options]

  <source>         the URL of a service, or of an answer of its /api/solvency, or a saved answer
  --wallet 0x…     whose proof to check
  --auth-sig S     the wallet's signature of today's sign-in message, to ask the service for its proof
  --wallet-salt H  the wallet's secret as an earlier answer showed it
  --receipts FILE  the wallet's receipts: one a line, or a saved answer with one
  --seq N          or the entry that one of them shows
  --seen-at T      when you got that receipt, like 2026-11-21T12:00:00.000Z or in unix milliseconds
  --log-key VKEY   the key of the site's public log, from a place that the house can't change for you alone;
                   by default the one that the site shows
  --site URL       the site of a saved answer, to compare it with its public log
  --rpc URL        a node of your choice, to compare the vault's holdings with the chain
  --vault 0x…      the vault's contract, and its USDG; default: as the count says, which is in the public log
  --usdg 0x…

Exits with 0 if every check passed, and with 1 otherwise.`

/** Runs the command. Returns its exit code. @param args the arguments after `solvency` */
export async function verifySolvencyCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(USAGE, {
    args,
    allowPositionals: true,
    options: {
      wallet: { type: 'string' },
      'auth-sig': { type: 'string' },
      'wallet-salt': { type: 'string' },
      receipts: { type: 'string' },
      seq: { type: 'string' },
      'seen-at': { type: 'string' },
      'log-key': { type: 'string' },
      site: { type: 'string' },
      rpc: { type: 'string' },
      vault: { type: 'string' },
      usdg: { type: 'string' },
    },
  })
  const [source] = positionals
  if (source === undefined || positionals.length > 1) throw new CommandError(USAGE)
  const { wallet, rpc, seq, 'seen-at': seenAt, 'wallet-salt': walletSalt } = values
  const logKey = readLogKey(values['log-key'])
  if ((seq === undefined) !== (seenAt === undefined)) {
    throw new CommandError('--seq and --seen-at belong together: a receipt shows both.')
  }
  const own = { wallet, authSig: values['auth-sig'] }
  let { statement, proven } = await load(source, own)
  const site = siteOf(source, values.site)
  let logged = site && (await readLogged(site, statement, logKey))
  if (isUrl(source) && logged?.newest && logged.newest > statement.epoch) {
    // Another count may have been published since. The service must show that one now.
    ;({ statement, proven } = await load(source, own))
    logged = site && (await readLogged(site, statement, logKey))
  }
  const askedAt = isUrl(source) ? Date.now() : undefined
  const receipts = await receiptsOf(proven, site, values)
  const known: KnownOfSolvency = {
    receipts,
    clockAt: Date.now(),
    ...(askedAt !== undefined && { askedAt }),
    ...(logged && { logged }),
    ...(walletSalt !== undefined && { walletSalt: walletSalt.toLowerCase() }),
    ...(rpc !== undefined && {
      chain: await readChain(rpc, contractsOf(values, statement), statement),
    }),
  }
  if (!site) say('To compare a saved answer with the public log, add --site.')
  return report(statement, proven, known)
}

/**
 * Returns the entries of the wallet's journal that its receipts show.
 * @param site that issued them: another one has a journal of its own for the wallet. Null for any.
 */
async function receiptsOf(
  proven: ProvenWallet | null,
  site: URL | null,
  values: { receipts?: string; seq?: string; 'seen-at'?: string },
): Promise<ShownEntry[]> {
  const { receipts: file, seq, 'seen-at': seenAt } = values
  const named =
    seq === undefined || seenAt === undefined
      ? []
      : [{ seq: wholeNumber('--seq', seq, 1, Number.MAX_SAFE_INTEGER), at: readTime(seenAt) }]
  if (file === undefined && named.length === 0) return []
  if (!proven) {
    throw new CommandError(
      "Receipts are held against the wallet's proof. Add --wallet and --auth-sig.",
    )
  }
  if (file === undefined) return named
  const receipts = ((await receiptTexts([file])) ?? []).map((text) => readReceipt(text).receipt)
  const own = receipts.filter(
    ({ iss, sub }) => sub === proven.wallet.toLowerCase() && (site === null || iss === site.origin),
  )
  if (own.length === 0) {
    const at = site === null ? '' : ` at ${site.origin}`
    throw new CommandError(`${file} has no receipt of ${proven.wallet}${at}.`)
  }
  if (new Set(own.map(({ iss }) => iss)).size > 1) {
    throw new CommandError(`${file} has receipts of several sites. Add --site URL.`)
  }
  return [...named, ...own.map(entryShownBy)]
}

function entryShownBy({ seq, iat, owed }: Receipt): ShownEntry {
  const from = iat * 1_000
  return { seq, from, at: from + 999, ...(owed && { owed }) }
}

/** Returns the site whose log to read; null for a saved answer without one. */
function siteOf(source: string, site: string | undefined): URL | null {
  const url = site ?? source
  if (isUrl(url) && URL.canParse(url)) return new URL(new URL(url).origin)
  if (site === undefined) return null
  throw new CommandError('--site must be a URL, such as http://localhost:8787.')
}

function report(statement: Statement, proven: ProvenWallet | null, known: KnownOfSolvency): number {
  const { epoch, at, leaves } = statement
  const title = `Count ${epoch} of ${new Date(at).toISOString()}, ${leaves} wallets`
  say(title, 'bold')
  const checks = verifySolvency(statement, proven, known)
  checks.forEach(printCheck)
  if (checks.some(({ holds }) => !holds)) throw new CommandError('\nSome checks failed.')
  const { awaitedUntil } = known.logged ?? {}
  if (awaitedUntil) throw new CommandError(notLogged(epoch, awaitedUntil))
  const leaf = proven?.proof?.leaf
  const yours = leaf ? `${amountsOf(leaf)} are counted as owed to you, and ` : ''
  say()
  say(`Verified: ${yours}the vault holds all that is owed.`, 'green')
  if (leaf && !known.receipts?.some(({ seq, owed }) => owed && seq === leaf.seq)) {
    say(uncompared(leaf))
  }
  if (proven && !proven.proof) say(NO_LEAF)
  if (!proven) say(UNPROVEN)
  if (!known.chain) say('To compare the holdings with the chain, add --rpc.')
  return 0
}

function notLogged(epoch: number, until: number): string {
  return `\nNot verified yet: the public log does not have count ${epoch}. Try again in a minute. If it is still missing at ${isoTime(until)}, don't trust the count.`
}

const UNPROVEN =
  "To check that your chips are in it, add --wallet and --auth-sig: your wallet's signature of the message at /api/auth/message?wallet=0x…"

function amountsOf({ owed }: SolvencyProof['leaf']): string {
  return listed(TOKENS.map((token) => showAmount(BigInt(owed[token]), token)))
}

function uncompared({ seq }: SolvencyProof['leaf']): string {
  return `No receipt here says what you were owed after entry ${seq}. Compare the amounts with what you had when it was made: chips, chips in play, withdrawals under way and quarantine together.`
}

const NO_LEAF =
  'The wallet has no leaf. If you have a receipt from more than ten minutes before the count, add --receipts: it proves that you were left out.'

const WITHOUT_PROOF =
  "The answer has no proof, so nothing shows that the wallet's chips are counted. A service answers a signed-in wallet with its proof, or with null if it has no leaf. Ask again; if the answer still has none, don't trust the count."

type Answer = Statement & { proof?: ProvenWallet['proof'] }

/** Loads a statement, and the wallet's proof if the answer has one. */
async function load(
  source: string,
  { wallet, authSig }: { wallet: string | undefined; authSig: string | undefined },
): Promise<{ statement: Statement; proven: ProvenWallet | null }> {
  const url = isUrl(source) ? urlOf(source) : null
  if (url && wallet !== undefined && authSig !== undefined) {
    url.searchParams.set('wallet', wallet)
    url.searchParams.set('authSig', authSig)
  }
  const owner = wallet ?? url?.searchParams.get('wallet') ?? null
  const answer = url ? await fetchJson(url) : await readJsonFile(source, 'of /api/solvency')
  const { proof, ...statement } = readStatement(answer, source)
  const isRequested = url ? hasSignIn(url) : wallet !== undefined
  if (proof === undefined && isRequested) throw new CommandError(WITHOUT_PROOF)
  if (proof === undefined) return { statement, proven: null }
  if (owner === null || !isAddress(owner, { strict: false })) {
    throw new CommandError('The answer has the proof of a wallet. Add --wallet 0x….')
  }
  return { statement, proven: { wallet: owner, proof } }
}

function readStatement(answer: unknown, source: string): Answer {
  const hasProof = typeof answer === 'object' && answer !== null && 'proof' in answer
  const isNot = `${source} is not an answer of /api/solvency`
  return hasProof
    ? readAs(WalletSolvencyAnswer, answer, isNot)
    : readAs(SolvencyAnswer, answer, isNot)
}

function hasSignIn({ searchParams }: URL): boolean {
  return searchParams.has('wallet') && searchParams.has('authSig')
}

function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text)
}

function urlOf(source: string): URL {
  const url = new URL(source)
  return url.pathname === '/' ? new URL('/api/solvency', url) : url
}

interface Contracts {
  address: Address
  usdg: Address
}

/** Returns the vault's contracts: those that were named, or else those of the count. */
function contractsOf(
  named: { vault?: string | undefined; usdg?: string | undefined },
  { contract }: Statement,
): Contracts {
  const { vault: address = contract.address, usdg = contract.usdg } = named
  if (isAddress(address) && isAddress(usdg)) return { address, usdg }
  throw new CommandError('--vault and --usdg must be addresses, 0x and 40 hex digits.')
}

/** Reads the vault's holdings and the block's hash from a node. */
async function readChain(rpcUrl: string, vault: Contracts, statement: Statement) {
  try {
    const chainId = await readChainId(rpcUrl)
    const client = chainClient({ rpcUrl, chainId })
    const { address, usdg } = vault
    const { blockNumber } = statement.vault
    const { holdings, blockHash } = await holdingsAt(client, vault, blockNumber)
    const madeAt = await blockTime(client, blockNumber)
    if (madeAt === null) throw new Error('it no longer has this block.')
    return {
      contract: { chainId, address, usdg },
      holdings: amountTexts(holdings),
      blockHash,
      madeAt,
      confirmedAt: await blockTime(client, blockNumber + CONFIRMED_BLOCKS),
    }
  } catch (fault) {
    const reason = messageOf(fault).split('\n', 1)[0]
    throw new CommandError(
      `The node did not say what the vault held after block ${statement.vault.blockNumber}: ${reason}\nAn older block needs an archive node.`,
    )
  }
}
