import type { z } from 'zod'
import { capital, listed } from '../core/words.ts'
import type { ErrorCode } from '../core/refusal.ts'
import { GAME_NAMES } from '../games/games.ts'

/** The parts of the API, in the order they are shown in. */
export const TAGS = {
  'Sign-in': 'What a wallet signs, once a day, to play.',
  Crash: 'The crash game, and the chips of a wallet.',
  Entropy: `${capital(listed(GAME_NAMES))}.`,
  Lootbox: 'Openings that are paid for on chain.',
  'Box NFT': 'Boxes that are bought, revealed and claimed in three wallet prompts.',
  'Wallet bridge': "A partner's platform plays with its players' chips.",
  'Ad rental': 'The advertising slot.',
  'RPC proxy': 'JSON-RPC of the chain, from the same origin.',
  Operation: "What the vault's owner can order.",
  Reference: 'This document.',
  'Local play': 'Exists in local play only; in production these paths are not there.',
} as const

export type Tag = keyof typeof TAGS

/** What calls are counted against in production: so many a second, on average over ten seconds. */
export const LIMITS = {
  reads: { binding: 'READS', perSecond: 20, counted: 'for each wallet or client address' },
  money: { binding: 'MONEY_CALLS', perSecond: 5, counted: 'for each wallet or client address' },
  signed: {
    binding: 'SIGNED_CALLS',
    perSecond: 100,
    counted: 'for each client address, the signed calls of all its wallets together',
  },
  bridge: { binding: 'BRIDGE_CALLS', perSecond: 200, counted: 'for each partner' },
  rpc: {
    binding: 'RPC_CALLS',
    perSecond: 50,
    counted: 'for each client address, every call of a batch',
  },
} as const

/** One thing that an operation does; a path with actions does several. */
export interface Call {
  /** The action, or a name that its examples stand under. */
  name: string
  summary: string
  /** Markdown. */
  description?: string
  /** Who calls: anybody, a wallet with its signature, or a partner with its token. */
  caller?: 'wallet' | 'partner'
  limit: keyof typeof LIMITS | null
  query?: z.ZodObject
  body?: z.ZodType
  /** By status. Null for an answer without a body. */
  answers: Record<number, z.ZodType | null>
  /** What it may be refused for besides what its caller, its limit and its body bring along. */
  refusals: ErrorCode[]
  example: { query?: Record<string, string>; body?: object; answer: object | null }
}

/** A method of a path. */
export interface Operation {
  method: 'get' | 'post' | 'options'
  path: string
  id: string
  tag: Tag
  summary: string
  /** Where there are several, a body's `action` or the query's tells them apart. */
  calls: Call[]
  /** The type of what is answered, where it is not JSON. */
  contentType?: string
}
