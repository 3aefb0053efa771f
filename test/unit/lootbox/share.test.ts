import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import {
  judgePost,
  readPostUrl,
  shareCodeOf,
  type ShareProvider,
} from '../../../src/lootbox/share.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml', env: 'production' })
const [configured] = vars['SHARE_PROVIDERS'] as [Record<keyof ShareProvider, never>]
/** The production configuration. */
const x: ShareProvider = { ...configured, postPath: new RegExp(configured.postPath) }
const reasonOf = (answer: object) =>
  'error' in answer ? (answer.error as { details: object }).details : answer

describe('the link of a post', () => {
  it.each([
    'https://x.com/alice/status/123',
    'https://twitter.com/alice/status/123',
    'https://x.com/somebody/status/123/',
    'https://X.com/alice/status/123?s=20#now',
  ])('%s points to the same post', (link) => {
    expect(readPostUrl(link, [x])).toMatchObject({ name: 'x:123' })
  })

  it('is requested without irrelevant parts', () => {
    const post = readPostUrl('https://x.com/alice/status/123?s=20#now', [x])
    expect(post).toMatchObject({ url: 'https://x.com/alice/status/123' })
  })

  it.each([
    ['unknown_provider', 'https://evil.com/alice/status/123'],
    ['unknown_provider', 'https://x.com.evil.com/alice/status/123'],
    ['unknown_provider', 'https://evil.com/https://x.com/alice/status/123'],
    ['unknown_provider', 'https://x.com@evil.com/alice/status/123'],
    ['unknown_provider', 'https://alice:secret@x.com/alice/status/123'],
    ['unknown_provider', 'https://x.com:8443/alice/status/123'],
    ['unknown_provider', 'http://x.com/alice/status/123'],
    ['unknown_provider', 'http://127.0.0.1/alice/status/123'],
    ['unknown_provider', 'file:///etc/passwd'],
    ['unknown_provider', 'not a link'],
    ['not_a_post', 'https://x.com/alice'],
    ['not_a_post', 'https://x.com/alice/status/'],
    ['not_a_post', 'https://x.com/alice/status/123/photo/1'],
    // The same post as 123 under another id.
    ['not_a_post', 'https://x.com/alice/status/0123'],
    // A site that echoes a link would also echo a code in it.
    ['not_a_post', 'https://x.com/fair0123456789abcdef/status/123'],
  ])('is refused as %s: %s', (reason, link) => {
    expect(reasonOf(readPostUrl(link, [x]))).toEqual({ reason })
  })
})

describe('a share code', () => {
  it('belongs to a wallet in any letter case, and to no other', () => {
    const wallet = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    expect(shareCodeOf(wallet)).toBe(shareCodeOf(wallet.toLowerCase()))
    expect(shareCodeOf(wallet)).toMatch(/^fair[0-9a-f]{16}$/)
    expect(shareCodeOf(`${wallet.slice(0, -1)}7`)).not.toBe(shareCodeOf(wallet))
  })
})

describe('a post', () => {
  const code = 'fair0123456789abcdef'
  const author_url = 'https://x.com/Alice/'

  it.each([
    ['in its text', { author_url, html: `<p>I spin! ${code}</p>` }],
    ['in its title', { author_url, title: code.toUpperCase() }],
    ['after a hash', { author_url, html: `<p>#${code}</p>` }],
  ])('with the code %s counts for its author', (_where, embed) => {
    expect(judgePost(embed, code)).toEqual({ author: 'https://x.com/alice' })
  })

  it.each([
    ['code_missing', { author_url, html: 'I spin!' }],
    ['code_missing', { author_url, html: `${code}0` }],
    ['code_missing', { author_url, html: `un${code}` }],
    ['code_missing', { author_url, html: { text: code } }],
    ['code_missing', { author_url }],
    ['no_author', { html: code }],
    ['no_author', { author_url: '', html: code }],
    ['no_author', { author_url: 7, html: code }],
    ['no_author', { author_url: 'x'.repeat(301), html: code }],
  ])('is refused as %s', (reason, embed) => {
    expect(reasonOf(judgePost(embed, code))).toEqual({ reason })
  })
})
