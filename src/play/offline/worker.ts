// The service worker. It shows a page of its own when a navigation gets no answer, and does nothing else: no answer
// of the API, no script and no page of the site is ever kept, so a deployment is live at the next load.

/** Replaced by the build; a change of the offline page changes this script, which replaces the kept page. */
declare const OFFLINE_VERSION: string

const PREFIX = 'fairhouse-offline-'
const CACHE = PREFIX + OFFLINE_VERSION
/** The asset server redirects `/offline.html` here, and a redirected answer can't be shown for a navigation. */
const PAGE = '/offline'
/** The only files kept. */
const FILES = [PAGE, '/offline.css', '/offline.js']

/** The part of a service worker's scope that this one uses; TypeScript's types for pages don't have it. */
interface Scope {
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  skipWaiting(): Promise<void>
  registration: { navigationPreload?: { enable(): Promise<void> } }
}

interface Lasting {
  waitUntil(work: Promise<unknown>): void
}

interface Fetching {
  request: Request
  preloadResponse: Promise<Response | undefined>
  respondWith(answer: Promise<Response>): void
}

const scope = globalThis as unknown as Scope

scope.addEventListener('install', (event) => event.waitUntil(keepPage()))
scope.addEventListener('activate', (event) => event.waitUntil(takeOver()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.mode === 'navigate') event.respondWith(navigated(event))
  else if (origin === location.origin && pathname !== PAGE && FILES.includes(pathname)) {
    event.respondWith(fetch(request).catch(() => keptFile(pathname)))
  }
})

async function keepPage(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.addAll(FILES.map((path) => new Request(path, { cache: 'reload' })))
  await scope.skipWaiting()
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name)
  }
  // The request is sent while this script starts, so that it delays no navigation.
  await scope.registration.navigationPreload?.enable()
}

async function navigated({ request, preloadResponse }: Fetching): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return keptFile(PAGE)
  }
}

async function keptFile(path: string): Promise<Response> {
  return (await caches.match(path)) ?? Response.error()
}
