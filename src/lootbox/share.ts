import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { refuse, type Refusal } from '../core/refusal.ts'

/** A site whose posts count, and where it tells what a post says (https://oembed.com). */
export interface ShareProvider {
  name: string
  /** Hosts of its posts, with a port where there is one. */
  hosts: string[]
  /** Matches the path of a post; its one group is the post's id, the same however a post is linked. */
  postPath: RegExp
  endpoint: string
}

/** A post, by what it is known by: its provider and id, whatever its link looks like. */
export interface Post {
  provider: ShareProvider
  /** Provider and id. */
  name: string
  /** The link without what does not belong to it. */
  url: string
}

/** Why a post does not count. */
export type PostReason =
  | 'unknown_provider'
  | 'not_a_post'
  | 'not_found'
  | 'no_author'
  | 'code_missing'

const REASONS: Record<PostReason, string> = {
  unknown_provider: 'Posts of this site do not count; GET /api/lootbox lists those that do.',
  not_a_post: 'This is not the link of a post.',
  not_found: 'The site does not show this post; it has to be public.',
  no_author: 'The site does not say whose post this is.',
  code_missing: 'The post does not carry your share code.',
}

export function postUnverified(reason: PostReason): Refusal {
  return refuse('post_unverified', REASONS[reason], { reason })
}

/**
 * What a wallet's post has to carry: 64 bits of a hash, so that nobody finds a wallet for another's post.
 * One word, so that it may stand as a hashtag.
 * @param wallet in any letter case
 */
export function shareCodeOf(wallet: string): string {
  const digest = sha256(utf8ToBytes(`share:${wallet.toLowerCase()}`))
  return `fair${bytesToHex(digest.subarray(0, 8))}`
}

/** The post that a link leads to, or why it is none that counts. */
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

/** Posts are linked as safely as the site itself is asked: by https, but for a local one. */
function hasSchemeOf({ endpoint }: ShareProvider, url: URL): boolean {
  return url.protocol === new URL(endpoint).protocol
}

/** What a provider tells of a post. */
export interface PostEmbed {
  author_url?: unknown
  html?: unknown
  title?: unknown
}

const MAX_AUTHOR_CHARS = 300

/** Whose post it is, if it carries the code; else why it does not count. */
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
