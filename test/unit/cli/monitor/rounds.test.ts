import { expect, it, vi } from 'vitest'
import { fetchWhole } from '../../../../src/cli/monitor/rounds.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'
import { SITE } from './house.ts'

it.each([404, 500, 503])('a round that is answered with %i is not disclosed', async (status) => {
  const error = { code: 'internal', message: 'no' }
  vi.stubGlobal('fetch', async () => Response.json({ ok: false, error }, { status }))
  expect(await fetchWhole(new Client(SITE), '7')).toBeNull()
})

it('a site without an answer proves nothing about a round', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed')
  })
  await expect(fetchWhole(new Client(SITE), '7')).rejects.toThrow(CommandError)
})
