import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { READY_CHECKOUT } from '../scenarios/started-service.ts'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, service, useService } from './stories.ts'

/** The files of the offline page, by address. */
const FILES: Record<string, string> = {
  '/offline': 'offline.html',
  '/offline.css': 'offline.css',
  '/offline.js': 'offline.js',
  '/offline-worker.js': 'offline-worker.js',
}
const builtPage = () => join(process.env[READY_CHECKOUT] ?? '', 'dist/page')

useService()

/** Opens a view, once the service worker handles its navigations. */
async function openWorked(path: string) {
  const url = `${service.baseUrl}/#/${path}`
  const opened = await openPage(browser, url, { serviceWorkers: 'allow' })
  await opened.page.evaluate('navigator.serviceWorker.ready.then(() => null)')
  await opened.page.reload()
  return opened
}

/** The addresses of everything that the page's service worker keeps. */
const keptPaths = (page: Page) =>
  page.evaluate<string[]>(`(async () => {
    const kept = []
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) kept.push(new URL(url).pathname)
    }
    return kept
  })()`)

describe('the page without a network', () => {
  it('says so, and returns to the same view once the network is back', async () => {
    const { page } = await openWorked('limbo')
    await page.getByRole('link', { name: 'Limbo', exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.reload()
    await page.getByRole('heading', { name: 'Fairhouse can’t be reached' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `offline-${screen}`)
      expect(await barriers(page), screen).toEqual([])
    })
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'Limbo', exact: true, includeHidden: false }).waitFor()
    expect(page.url()).toBe(`${service.baseUrl}/#/limbo`)
  })

  it('has kept nothing but the offline page', async () => {
    const { page, faults } = await openWorked('crash')
    await page.getByRole('link', { name: 'Crash', exact: true }).waitFor()
    expect(await keptPaths(page)).toEqual(['/offline', '/offline.css', '/offline.js'])
    const answered = page.waitForResponse(/\/api\/crash/)
    await page.reload()
    expect((await answered).fromServiceWorker()).toBe(false)
    expect(faults).toEqual([])
  })

  it('shows what is deployed at the next load, and a fault of the site as it is', async () => {
    let answer = { status: 200, text: 'First release' }
    const site = createServer((request, response) => {
      const file = FILES[request.url ?? '']
      const type = { '.js': 'text/javascript', '.css': 'text/css' }[extname(request.url ?? '')]
      response.writeHead(file ? 200 : answer.status, { 'content-type': type ?? 'text/html' })
      response.end(file ? readFileSync(join(builtPage(), file)) : `<h1>${answer.text}</h1>`)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    const { page } = await openPage(browser, url, { serviceWorkers: 'allow' })
    await page.evaluate(`navigator.serviceWorker.register('/offline-worker.js')
      .then(() => navigator.serviceWorker.ready).then(() => null)`)
    await page.getByRole('heading', { name: 'First release' }).waitFor()
    answer = { status: 200, text: 'Second release' }
    await page.reload()
    await page.getByRole('heading', { name: 'Second release' }).waitFor()
    answer = { status: 500, text: 'A fault' }
    await page.reload()
    await page.getByRole('heading', { name: 'A fault' }).waitFor()
    site.closeAllConnections()
    site.close()
    await page.reload()
    await page.getByRole('heading', { name: 'Fairhouse can’t be reached' }).waitFor()
  })
})

interface Manifest {
  name: string
  display: string
  icons: { src: string; sizes: string; purpose?: string }[]
}

describe('the page can be installed', () => {
  it('with a manifest whose icons are pictures of the stated sizes', async () => {
    const { page, faults } = await openPage(browser, service.baseUrl)
    const link = await page.locator('link[rel=manifest]').getAttribute('href')
    const answer = await fetch(new URL(link ?? '', service.baseUrl))
    expect(answer.headers.get('content-type')).toContain('application/manifest+json')
    const manifest: Manifest = await answer.json()
    expect(manifest).toMatchObject({ name: 'Fairhouse', display: 'standalone' })
    const sizes = await page.evaluate<Record<string, string>>(`(async () => {
      const sizes = {}
      for (const src of ${JSON.stringify(manifest.icons.map(({ src }) => src))}) {
        const image = new Image()
        image.src = src
        await image.decode()
        sizes[src] = image.naturalWidth + 'x' + image.naturalHeight
      }
      return sizes
    })()`)
    for (const { src, sizes: said } of manifest.icons) {
      if (said !== 'any') expect(sizes[src], src).toBe(said)
    }
    expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
    expect(faults).toEqual([])
  })
})
