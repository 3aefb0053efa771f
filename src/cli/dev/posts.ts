import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { html } from 'hono/html'
import { z } from 'zod'

const MAX_BODY_BYTES = 10_000
const MAX_POSTS = 10_000

const NewPost = z.object({
  author: z.string().regex(/^[A-Za-z0-9_]{1,30}$/),
  text: z.string().min(1).max(1_000),
})

/** A local site for posts, to try free spins. Serves its posts by oEmbed. */
export function devPosts(origin: string): Hono {
  const posts: z.infer<typeof NewPost>[] = []
  const linkOf = (id: number) => `${origin}/${posts[id]?.author}/status/${id}`
  return new Hono()
    .get('/', (c) => c.html(writePage))
    .post('/posts', bodyLimit({ maxSize: MAX_BODY_BYTES }), async (c) => {
      const parsed = NewPost.safeParse(await c.req.parseBody())
      if (!parsed.success || posts.length >= MAX_POSTS)
        return c.text(
          'Send an author of letters, digits and _, and a text of at most 1000 characters.',
          400,
        )
      const id = posts.push(parsed.data) - 1
      return c.redirect(linkOf(id), 303)
    })
    .get('/:author/status/:id{[0-9]+}', (c) => {
      const post = posts[Number(c.req.param('id'))]
      return post ? c.html(postPage(post)) : c.notFound()
    })
    .get('/oembed', async (c) => {
      const link = URL.parse(c.req.query('url') ?? '')
      const post = link?.origin === origin ? posts[Number(link.pathname.split('/').at(-1))] : null
      if (!post) return c.notFound()
      const { author, text } = post
      return c.json({
        version: '1.0',
        type: 'rich',
        author_name: author,
        author_url: `${origin}/${author}`,
        html: await html`<blockquote>${text}</blockquote>`,
      })
    })
}

/** Serves the site on a local port, without keeping the process alive. */
export function servePosts(port: number): Server {
  const site = devPosts(`http://localhost:${port}`)
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const answer = await site.fetch(requestOf(incoming))
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
      outgoing.end(await answer.text())
    })()
  })
  return server.listen(port, 'localhost').unref()
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: { 'content-type': headers['content-type'] ?? '' },
    body: hasBody ? Readable.toWeb(incoming) : null,
    duplex: 'half',
  } as RequestInit)
}

const writePage = html`<!doctype html>
  <html lang="en">
    <title>Local posts</title>
    <h1>Local posts</h1>
    <p>A post with your share code wins one free spin a day. Posts never leave this machine.</p>
    <form method="post" action="/posts">
      <p>
        <label>Author <input name="author" required pattern="[A-Za-z0-9_]{1,30}" /></label>
      </p>
      <p>
        <label>Text <textarea name="text" required maxlength="1000"></textarea></label>
      </p>
      <button>Post</button>
    </form>
  </html>`

function postPage({ author, text }: z.infer<typeof NewPost>) {
  return html`<!doctype html>
    <html lang="en">
      <title>${author}</title>
      <h1>${author}</h1>
      <blockquote>${text}</blockquote>
      <p>Use the link of this page for your free spin.</p>
    </html>`
}
