import { describe, expect, it, onTestFinished } from 'vitest'
import { browser, service, useService } from './stories.ts'

useService()

/** An import that a script makes as soon as it has arrived. */
const IMPORT = /(?:import|from)\s*"\.\/([^"]+\.js)"/g

const textAt = async (path: string) => (await fetch(new URL(path, service.baseUrl))).text()

describe('the page’s first load', () => {
  it('requests what its script imports without waiting for the script', async () => {
    const script = /src="([^"]+)"/.exec(await textAt('/'))?.[1] ?? ''
    const imported = [...(await textAt(script)).matchAll(IMPORT)].map(([, file]) => file ?? '')
    expect(imported).not.toEqual([])
    const context = await browser.newContext({ serviceWorkers: 'block' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const requested = new Set<string>()
    page.on('request', (request) => requested.add(new URL(request.url()).pathname))
    await page.route(`**${script}`, (route) => route.abort())
    await page.goto(service.baseUrl)
    expect(imported.filter((file) => !requested.has(`/assets/${file}`))).toEqual([])
  })
})
