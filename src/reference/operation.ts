import type { z } from 'zod'
import { NETWORK_LIMITS } from '../api/http/network-limits.ts'
import type { ErrorCode } from '../core/refusal.ts'
import { capital, listed } from '../core/words.ts'
import { GAME_NAMES } from '../games/games.ts'

/** The parts of the API, in display order. */
export const TAGS = {
  'Sign-in': 'The message that a wallet signs once a day to play.',
  Crash: "The crash game, and a wallet's chips.",
  Entropy: `${capital(listed(GAME_NAMES))}.`,
  Protection: 'Limits that players set themselves, and exclusion from play.',
  Lootbox: 'Openings paid for on chain, and free spins.',
  'Box NFT': 'Boxes to buy, reveal and claim in three wallet prompts.',
  Fairness: 'What lets anyone check the house: the keys of receipts.',
  History: 'The whole history, by days, for anyone to audit.',
  'Wallet bridge': "Lets a partner's platform debit and credit its players' chips.",
  'Ad rental': 'The advertising slot.',
  Log: 'The public log of what the house commits to, as [C2SP tlog-tiles](https://c2sp.org/tlog-tiles). Any page may read it.',
  'RPC proxy': "The chain's JSON-RPC, from the same origin.",
  Solvency: 'Proof that the vault holds what is owed.',
  Health: 'Whether the service works, and numbers for its operator.',
  Operation: 'What operators see and order. `npm run operate` and the page `/operate` use it.',
  Reference: 'This document.',
  'Local play': 'Tools for local play. In production these paths answer 404.',
} as const

const OF_NETWORK = "for each client's network (an IPv4 address or an IPv6 /48)"

const PER_SECOND = { READS: 20, MONEY_CALLS: 5 }

function ofNetwork(name: keyof typeof NETWORK_LIMITS, calls: string) {
  const binding = NETWORK_LIMITS[name]
  return { binding, perSecond: PER_SECOND[binding], counted: `${OF_NETWORK}: ${calls}` }
}

/** The rate limits in production, per second on average over ten seconds. */
export const LIMITS = {
  reads: {
    binding: 'READS',
    perSecond: PER_SECOND.READS,
    counted: 'for each wallet or client address',
  },
  money: {
    binding: 'MONEY_CALLS',
    perSecond: PER_SECOND.MONEY_CALLS,
    counted: 'for each wallet or client address',
  },
  signed: {
    binding: 'SIGNED_CALLS',
    perSecond: 100,
    counted: 'for each client address, for all its wallets together',
  },
  bridge: { binding: 'BRIDGE_CALLS', perSecond: 200, counted: 'for each partner' },
  rpc: {
    binding: 'RPC_CALLS',
    perSecond: 50,
    counted: `${OF_NETWORK}, with each call of a batch counted`,
  },
  boxes: ofNetwork(
    'boxes',
    'views of boxes that nobody has read within the last second, reveals and claims, together',
  ),
  payments: ofNetwork('payments', 'openings of the lootbox and rentals, together'),
  newWallets: ofNetwork(
    'newWallets',
    "wallets' first signed reads of `fairness`, and changes of limits and permissions, together; above it, a wallet is refused only if it has no commitment yet, or if its chips have never moved",
  ),
  betless: ofNetwork(
    'betless',
    'cash-outs of wallets without a bet; above it, a wallet is refused only if its chips have never moved',
  ),
  beacons: ofNetwork('beacons', 'signatures of late beacons that must be verified'),
  endedRounds: ofNetwork('endedRounds', "reads of ended rounds that the history doesn't have"),
  openings: ofNetwork('openings', "reads of a wallet's openings and free spin"),
  sharedPosts: ofNetwork('sharedPosts', 'free spins with a post that has not earned one'),
  walletReads: ofNetwork(
    'walletReads',
    "unsigned reads of a wallet's plays, bets and `fairness`, and previews of their pages",
  ),
  log: ofNetwork(
    'log',
    "reads of the public log that the copy in the bucket can't answer, and of plans of rounds that have erased themselves",
  ),
  exports: ofNetwork('exports', 'lists of exported days before a given one'),
  contracts: ofNetwork(
    'contracts',
    "contract wallets' signatures that are checked on chain, those of sign-ins apart from those of withdrawals and permissions",
  ),
} as const

/** One function of an operation; a path with actions has several. */
export interface Call {
  /** The action, or a name for its examples. */
  name: string
  summary: string
  /** Markdown. */
  description?: string
  /**
   * A wallet with its credentials, a partner with its token, the operator's monitor, an operator who has signed in,
   * or either of the last two; anyone if absent.
   */
  caller?: 'wallet' | 'partner' | 'monitor' | 'operator' | 'operator or monitor'
  limit: keyof typeof LIMITS | null
  /** A limit of the client's network, against which some or all of its calls count, too. */
  networkLimit?:
    | 'boxes'
    | 'payments'
    | 'newWallets'
    | 'betless'
    | 'beacons'
    | 'openings'
    | 'sharedPosts'
    | 'walletReads'
    | 'exports'
  query?: z.ZodObject
  body?: z.ZodType
  /** By status. Null for an answer without a body. */
  answers: Record<number, z.ZodType | null>
  /** Whether its receipt is a header, because its bodies are fixed. */
  receiptHeader?: true
  /** The refusals beyond those implied by its caller, limit and body. */
  refusals?: ErrorCode[]
  example: { query?: Record<string, string>; body?: object; answer: object | string | null }
}

/** A method of a path. */
export interface Operation {
  method: 'get' | 'post' | 'options'
  path: string
  id: string
  tag: keyof typeof TAGS
  summary: string
  /** The variable parts of its path, by name. */
  pathFields?: Record<string, { description: string; example: string }>
  /** Distinguished by `action` in the body or query if there are several. */
  calls: Call[]
  /** The answer's content type; default: JSON. */
  contentType?: string
}

/** An operation in the list of its tag. Its only call may be written as part of it. */
export type TagOperation = Omit<Operation, 'tag' | 'calls'> & (Pick<Operation, 'calls'> | Call)
