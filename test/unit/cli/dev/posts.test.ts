import { describe, expect, it } from 'vitest'
import { devPosts } from '../../../../src/cli/dev/posts.ts'

const ORIGIN = 'http://localhost:9999'

function site() {
  const app = devPosts(ORIGIN)
  const write = (author: string, text: string) =>
    app.request('/posts', { method: 'POST', body: new URLSearchParams({ author, text }) })
  const embedOf = (link: string) => app.request(`/oembed?url=${encodeURIComponent(link)}`)
  return { app, write, embedOf }
}

describe('the local site for posts', () => {
  it('returns a post’s text and author by oEmbed, without active content', async () => {
    const { app, write, embedOf } = site()
    const written = await write('alice', 'I play! fair0123 <script>')
    const link = written.headers.get('location') ?? ''
    expect([written.status, link]).toEqual([303, `${ORIGIN}/alice/status/0`])
    expect(await (await embedOf(link)).json()).toMatchObject({
      author_url: `${ORIGIN}/alice`,
      html: '<blockquote>I play! fair0123 &lt;script&gt;</blockquote>',
    })
    expect(await (await app.request('/alice/status/0')).text()).toContain('&lt;script&gt;')
  })

  it('returns no other posts', async () => {
    const { app, write, embedOf } = site()
    await write('alice', 'hello')
    for (const link of [`${ORIGIN}/alice/status/1`, 'http://else.test/a/status/0', 'nothing', '']) {
      expect((await embedOf(link)).status).toBe(404)
    }
    expect((await app.request('/alice/status/1')).status).toBe(404)
    expect((await write('not an author', 'hello')).status).toBe(400)
    expect((await write('alice', '')).status).toBe(400)
  })
})
