import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import type { FeedPlay } from '../../src/games/play-request.ts'
import type { Token } from '../../src/money/token.ts'
import { startService, type StartedService } from '../scenarios/started-service.ts'
import { openBrowser } from './browser.ts'

/** The player of the page's first development wallet. */
export const PLAYER = devPlayer(0).address

/** What {@link useService} has started. */
export let service: StartedService
export let browser: Browser

/**
 * Starts a service and a browser for the stories of a file.
 * @param vars settings beside the default ones
 */
export function useService(vars: Parameters<typeof startService>[0] = {}): void {
  beforeAll(async () => {
    service = await startService(vars)
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })
}

/** Gives a development player chips. */
export async function giveChips(token: Token, amountWei: bigint, player = 0): Promise<void> {
  const chips = { wallet: devPlayer(player).address, token, amountWei: String(amountWei) }
  await new Client(service.baseUrl).post('/api/dev/faucet', chips)
}

/** Returns the newest public plays of the first development player, newest first. */
export async function recentPlays(): Promise<FeedPlay[]> {
  const body = { action: 'recent', wallet: PLAYER, limit: 100 }
  const client = new Client(service.baseUrl)
  return (await client.post<{ recent: FeedPlay[] }>('/api/entropy', body)).recent
}
