import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { refuse, type Refusal } from '../core/refusal.ts'
import { utf8 } from '../core/utf8.ts'

/** A site with eligible posts, and its oEmbed endpoint (https://oembed.com), which returns a post's text. */
export interface ShareProvider {
  name: string
  /** The hosts of its posts, with a port if the URL has one. */
  hosts: string[]
  /** Matches a post's path. Its one group is the post's id, which must be the same in every link to it. */
  postPath: RegExp
  endpoint: string
}

/** A post, identified by its provider and id rather than by its link. */
export interface Post {
  provider: ShareProvider
  /** `provider:id` */
  name: string
  /** The link without query and fragment. */
  url: string
}

/** Why a post isn't eligible. */
export type PostReason =
  | 'unknown_provider'
  | 'not_a_post'
  | 'not_found'
  | 'no_author'
  | 'code_missing'

const REASONS: Record<PostReason, string> = {
  unknown_provider:
    'Posts on this site are not eligible. GET /api/lootbox lists the sites that are.',
  not_a_post: 'This link does not lead to a post. Send the link of a single post.',
  not_found: 'The site does not show this post. Make sure that the post exists and is public.',
  no_author: 'The site does not name the author of this post. Share a post that shows its author.',
  code_missing: 'The post does not contain your share code. Add the code and try again.',
}

export function postUnverified(reason: PostReason): Refusal {
  return refuse('post_unverified', REASONS[reason], { reason })
}

/**
 * Returns the code that a wallet's post must contain. It has 64 bits of a hash, so that nobody can find
 * a wallet to match another's post, and is one word, so that it can be a hashtag.
 * @param wallet in any letter case
 */
export function shareCodeOf(wallet: string): string {
  const digest = sha256(utf8(`share:${wallet.toLowerCase()}`))
  return `fair${bytesToHex(digest.subarray(0, 8))}`
}

/** Parses a post's URL, or returns why it isn't eligible. */
export function readPostUrl(link: string, providers: readonly ShareProvider[]): Post | Refusal {
  const url = URL.parse(link)
  const provider = url && providers.find(({ hosts }) => hosts.includes(url.host))
  const isPlain = url && url.username === '' && url.password === ''
  if (!provider || !isPlain || !hasSchemeOf(provider, url))
    return postUnverified('unknown_provider')
  const [, id] = provider.postPath.exec(url.pathname) ?? []
  if (!id) return postUnverified('not_a_post')
  return { provider, name: `${provider.name}:${id}`, url: `${url.origin}${url.pathname}` }
}

/** Returns whether a link has its provider's scheme: https, except for a local provider. */
function hasSchemeOf({ endpoint }: ShareProvider, url: URL): boolean {
  return url.protocol === new URL(endpoint).protocol
}

/** A provider's oEmbed answer for a post. */
export interface PostEmbed {
  author_url?: unknown
  html?: unknown
  title?: unknown
}

const MAX_AUTHOR_CHARS = 300

/** Returns the author of a post that contains the code, or why the post isn't eligible. */
export function judgePost(embed: PostEmbed, code: string): { author: string } | Refusal {
  const { author_url: author, html, title } = embed
  if (typeof author !== 'string' || author === '' || author.length > MAX_AUTHOR_CHARS) {
    return postUnverified('no_author')
  }
  const text = [html, title].filter((part) => typeof part === 'string').join(' ')
  const carries = new RegExp(`(?<![0-9a-z])${code}(?![0-9a-z])`, 'i')
  if (!carries.test(text)) return postUnverified('code_missing')
  return { author: author.toLowerCase().replace(/\/+$/, '') }
}
