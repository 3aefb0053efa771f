import type { PepperSource } from '../../fairness/pepper.ts'
import { parseAmount } from '../../money/amount.ts'
import { CommandError, is32Bytes, readArgs, wholeNumber } from '../shared/terminal.ts'
import { readLogKey } from '../shared/verifier-key.ts'
import type { PinnedKeys } from './receipt-evidence.ts'
import { readTime } from './time.ts'
import type { VerifyTargets } from './wanted.ts'

const USAGE = `Usage: npm run verify -- <source> [options]
       npm run verify -- <receipt> [<receipt> …] [--site URL] [--keys FILE] [--log-key VKEY]
       npm run verify -- solvency <source> [options]   (see npm run verify -- solvency --help)

  <source>         a saved answer of verify-seeds, a bet, a play, recent, a lootbox opening or
                   lootbox-nft; the URL of such an answer; or the URL of a service
  <receipt>        a receipt, or a file with receipts: one a line, or a saved answer with one. With
                   any other option a saved play is verified without its receipt
  --site URL       the site that must have issued the receipts; by default each is checked with the site that it
                   names, which could be any. For a saved opening, the site with whose public log it is compared
  --keys FILE      the keys of receipts, as saved from the site's /.well-known/jwks.json
  --log-key VKEY   for receipts, --site, --round, --bet, --opening and --box, the key of the site's public log, from
                   a place that the house can't change for you alone; by default the one that the site shows
  --round N        only this round of crash, with its bets
  --bet N          only the bet of --wallet in this round of crash, however old
  --play N         only the play with this nonce; an old one also needs --wallet
  --opening 0x…    only the opening of this payment; an old one also needs --wallet. Without --rpc, the house
                   could have chosen the block and, without --paid-at either, the day of its seed
  --rpc URL        a node that the house does not run, to compare the payment, its sender (with --wallet), its
                   block and that block's time with the chain
  --box ID         only this box
  --wallet 0x…     only this wallet's bet, plays, openings and boxes; for a saved free spin, the wallet it must belong to
  --seed-hash H    the seed hash you saw before bets closed, before the play or before the payment
  --client-seed C  the client seed you sent with the play
  --pepper P       the drand round or pepper hash you saw before bets closed, the pepper hash you saw
                   before you bought the box or asked for the free spin, or the drand round that the
                   first answer about the free spin named
  --tiers B:P,…    the tiers you saw before you bought the box: the bps and the prize of each, in their order
  --seen-at T      when you first saw the round's seed hash or first asked for the free spin, by your own
                   clock: like 2026-11-21T12:00:00.000Z or in unix milliseconds
  --paid-at T      when the block of your payment for the opening was made, as an explorer says; not with --rpc
  --asked-at T     when you sent the call for the free spin that was answered, if earlier ones failed
  --accepted-at T  acceptedAt of the first answer about the free spin

Exits with 0 if something was checked and every check passed, and with 1 otherwise.`

export type VerifyOptions = ReturnType<typeof readVerifyOptions>

/** Reads the options. @throws CommandError if they are invalid or contradict each other */
export function readVerifyOptions() {
  const { values, positionals } = readArgs(USAGE, {
    allowPositionals: true,
    options: {
      round: { type: 'string' },
      bet: { type: 'string' },
      play: { type: 'string' },
      opening: { type: 'string' },
      box: { type: 'string' },
      wallet: { type: 'string' },
      'seed-hash': { type: 'string' },
      'client-seed': { type: 'string' },
      pepper: { type: 'string' },
      tiers: { type: 'string' },
      'seen-at': { type: 'string' },
      'paid-at': { type: 'string' },
      rpc: { type: 'string' },
      'asked-at': { type: 'string' },
      'accepted-at': { type: 'string' },
      site: { type: 'string' },
      keys: { type: 'string' },
      'log-key': { type: 'string' },
    },
  })
  const [source] = positionals
  if (source === undefined) throw new CommandError(USAGE)
  const { round, bet, play, opening, box, wallet } = values
  const named = (['round', 'bet', 'play', 'opening', 'box'] as const).filter(
    (kind) => values[kind] !== undefined,
  )
  if (named.length > 1) {
    throw new CommandError(
      `Only one of --${named.join(' and --')} can be used at a time. Remove the others.`,
    )
  }
  const [only = null] = named
  if (only === 'round' && wallet !== undefined) {
    throw new CommandError(
      "A round doesn't belong to a wallet. Remove --wallet, or use --bet for the wallet's bet in it.",
    )
  }
  if (only === 'bet' && wallet === undefined) {
    throw new CommandError('A bet belongs to a wallet. Add --wallet 0x….')
  }
  if (values.rpc !== undefined && only !== null && only !== 'opening') {
    throw new CommandError('--rpc compares the payment of an opening. Add --opening 0x….')
  }
  if (values.rpc !== undefined && values['paid-at'] !== undefined) {
    throw new CommandError('With --rpc, the node says when the block was made. Remove --paid-at.')
  }
  const roundId = round ?? bet
  const wanted: VerifyTargets = {
    only,
    ...(roundId !== undefined && { roundId: wholeNumber(`--${only}`, roundId, 1, MOST) }),
    ...(play !== undefined && { nonce: wholeNumber('--play', play, 0, MOST) }),
    ...(opening !== undefined && { payment: readHash(opening) }),
    ...(box !== undefined && { boxId: readBoxId(box) }),
    ...(wallet !== undefined && { wallet }),
  }
  const { keys = null, site, 'log-key': logKey, ...others } = values
  const mayBeReceipts = Object.keys(others).length === 0
  return {
    source,
    sources: positionals,
    /** Whether nothing was asked that only other sources can answer. */
    mayBeReceipts,
    /** The origin that must have issued the receipts, or that a saved opening is from; null if none was named. */
    site: site === undefined ? null : urlOf('--site', site).origin,
    /** The URL of a node of the reader's choice; null for none. */
    rpc: values.rpc === undefined ? null : urlOf('--rpc', values.rpc).href,
    pinned: { file: keys, logKey: readLogKey(logKey) } satisfies PinnedKeys,
    wanted,
    seen: readSeen(only, values),
  }
}

function urlOf(option: string, text: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text)
  throw new CommandError(`${option} must be a URL, such as https://play.example.com.`)
}

const MOST = Number.MAX_SAFE_INTEGER

/** The facts that the player saw or sent beforehand. */
interface SeenBefore {
  seedHash?: string
  clientSeed?: string
  pepperSource?: PepperSource
  pepperHash?: string
  /** The odds and prizes of a box's tiers, in the form of `tierTable`. */
  tiers?: string
  /** By the player's own clock, in unix milliseconds. */
  seenAt?: number
  /** By the chain's clock. */
  paidAt?: number
  askedAt?: number
  /** By the house's clock. */
  acceptedAt?: number
  /** Whether a pepper must come from a public beacon. It follows from the site, not from an option. */
  needsBeacon?: boolean
}

function readSeen(
  only: VerifyTargets['only'],
  values: Partial<
    Record<
      | 'seed-hash'
      | 'client-seed'
      | 'pepper'
      | 'tiers'
      | 'seen-at'
      | 'paid-at'
      | 'asked-at'
      | 'accepted-at',
      string
    >
  >,
): SeenBefore {
  const { 'seed-hash': seedHash, 'client-seed': clientSeed, pepper, 'seen-at': seenAt } = values
  if (clientSeed !== undefined && only !== 'play') {
    throw new CommandError('--client-seed needs --play N.')
  }
  if (pepper !== undefined && only === 'play') {
    throw new CommandError('A play has no pepper. Use --seed-hash and --client-seed.')
  }
  if (seedHash !== undefined && only === 'box') {
    throw new CommandError('A box has no seed. Use --pepper with the hash you saw.')
  }
  if (seenAt !== undefined && (only === 'play' || only === 'box')) {
    throw new CommandError(
      '--seen-at needs --round N, --bet N, or the saved answer of a free spin.',
    )
  }
  const { 'paid-at': paidAt, tiers } = values
  if (tiers !== undefined && (only !== 'box' || !/^\d+:\d+(,\d+:\d+)*$/.test(tiers))) {
    throw new CommandError(
      '--tiers needs --box ID, and bps and prize of each tier: 9000:5,1000:50.',
    )
  }
  if (paidAt !== undefined && only !== 'opening') {
    throw new CommandError('--paid-at needs --opening 0x….')
  }
  const { 'asked-at': askedAt, 'accepted-at': acceptedAt } = values
  if (only !== null && (askedAt !== undefined || acceptedAt !== undefined)) {
    throw new CommandError('--asked-at and --accepted-at need the saved answer of a free spin.')
  }
  return {
    ...(seedHash !== undefined && { seedHash: seedHash.toLowerCase() }),
    ...(clientSeed !== undefined && { clientSeed }),
    ...(pepper !== undefined && readPepper(only, pepper.toLowerCase().replace(/^0x/, ''))),
    ...(tiers !== undefined && { tiers }),
    ...(seenAt !== undefined && { seenAt: readTime(seenAt) }),
    ...(paidAt !== undefined && { paidAt: readTime(paidAt, '--paid-at') }),
    ...(askedAt !== undefined && { askedAt: readTime(askedAt, '--asked-at') }),
    ...(acceptedAt !== undefined && { acceptedAt: readTime(acceptedAt, '--accepted-at') }),
  }
}

function readPepper(only: VerifyTargets['only'], text: string): SeenBefore {
  const isHash = /^[0-9a-f]{64}$/.test(text)
  if (only === 'round' || only === 'bet' || (only === null && !isHash)) {
    const round = isHash ? 0 : wholeNumber('--pepper', text, 1, MOST)
    return {
      pepperSource: isHash
        ? { kind: 'committed', pepperHash: text }
        : { kind: 'drand-quicknet', round },
    }
  }
  if (isHash) return { pepperHash: text }
  throw new CommandError(`With --${only}, --pepper must be the pepper's hash, 64 hex digits.`)
}

function readHash(text: string): string {
  if (is32Bytes(text)) return text.toLowerCase()
  throw new CommandError('--opening must be the hash of the payment, 0x and 64 hex digits.')
}

function readBoxId(text: string): bigint {
  const boxId = parseAmount(text)
  if (boxId !== null) return boxId
  throw new CommandError("--box must be a box's id, a whole number.")
}
