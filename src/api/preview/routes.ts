import { Hono } from 'hono'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'
import { drawCard } from '../../preview/card.ts'
import { encodePng } from '../../preview/png.ts'
import { SITE, type Preview } from '../../preview/previews.ts'
import { answerText, IMMUTABLE } from '../http/answer.ts'
import { get, limited, type ApiCall } from '../http/call.ts'
import { answeredOnce } from '../http/edge-cache.ts'
import { onlyMethods } from '../http/methods.ts'
import { clientAddress, checkRateLimit } from '../http/rate-limits.ts'
import { metaTags } from './meta.ts'
import { subjectOf, type ReadPreview } from './subject.ts'

/**
 * The permanent pages of rounds, bets and plays: `/round/<number>`, `/bet/<wallet>/<round>` and
 * `/play/<wallet>/<number>`. The page shows them after a `#`, which no platform sends; these addresses carry the
 * preview of a link too. `<address>/preview.png` is its picture.
 */
export const previewRoutes = new Hono<{ Bindings: Env }>()
  .get('/preview.png', get(limited('READS', readSitePicture)))
  .get('/round/*', get(readPage))
  .get('/bet/*', get(readPage))
  .get('/play/*', get(readPage))
  .all('/round/*', onlyMethods('GET'))
  .all('/bet/*', onlyMethods('GET'))
  .all('/play/*', onlyMethods('GET'))

const PICTURE = 'preview.png'
/** The version of the drawings. Change it whenever cards look different. */
const DRAWING = 'cards-1'
const A_DAY = 'public, max-age=86400'

async function readPage(call: ApiCall<unknown>): Promise<object> {
  const { pathname } = new URL(call.request.url)
  const [kind = '', ...names] = pathname.slice(1).split('/')
  const isPicture = names.at(-1) === PICTURE
  const read = subjectOf(kind, isPicture ? names.slice(0, -1) : names)
  if (!isPicture) return showPage(call, pathname, read)
  return limited('READS', (counted) => showPicture(counted, read))(call)
}

/**
 * Answers with the page and the tags of its preview. Without the preview, if that can't be read, the site's own tags.
 */
async function showPage(
  { env, request }: ApiCall<unknown>,
  pathname: string,
  read: ReadPreview | null,
): Promise<Response> {
  const { origin } = loadConfig(env)
  const preview = read && (await whileReadable(env, request, read))
  const shown = preview ?? SITE
  const addresses = {
    url: `${origin}${read ? pathname : '/'}`,
    picture: `${origin}${preview ? pathname : ''}/${PICTURE}`,
  }
  const page = await env.ASSETS.fetch(new URL('/', request.url))
  const headers = new Headers(page.headers)
  headers.set('cache-control', 'no-cache')
  // It names the file, not the page made from it here.
  headers.delete('etag')
  const status = page.ok && read === null ? 404 : page.status
  return new HTMLRewriter()
    .on('title', { element: (title) => void title.setInnerContent(`${shown.title} · Fairhouse`) })
    .on('meta[name=description]', {
      element: (meta) => void meta.setAttribute('content', shown.description),
    })
    .on('head', {
      element: (head) => void head.append(metaTags(shown, addresses), { html: true }),
    })
    .transform(new Response(page.body, { status, headers }))
}

async function whileReadable(
  env: Env,
  request: Request,
  read: ReadPreview,
): Promise<Preview | null> {
  try {
    if (await checkRateLimit(env.READS, clientAddress(request))) return null
    const preview = await read(env, request)
    return preview && isRefusal(preview) ? null : preview
  } catch (fault) {
    logFault('preview_read_failed', fault)
    return null
  }
}

/** Answers with the picture of a disclosed result. Anything else has none: a picture never tells an outcome early. */
async function showPicture(
  call: ApiCall<unknown>,
  read: ReadPreview | null,
): Promise<Response | Refusal> {
  return answeredOnce(call, DRAWING, async () => {
    const preview = await read?.(call.env, call.request)
    if (preview && isRefusal(preview)) return preview
    if (!preview) return refuse('not_found', 'There is no picture before the result is disclosed.')
    // A disclosed result never changes.
    return drawn(call.env, preview, IMMUTABLE)
  })
}

async function readSitePicture(call: ApiCall<unknown>): Promise<Response | Refusal> {
  return answeredOnce(call, DRAWING, async () => drawn(call.env, SITE, A_DAY))
}

async function drawn(env: Env, { card }: Preview, cacheControl: string): Promise<Response> {
  const png = await encodePng(drawCard(card, loadConfig(env).domain))
  return answerText(png, 200, {
    'content-type': 'image/png',
    'content-length': String(png.length),
    'cache-control': cacheControl,
  })
}
