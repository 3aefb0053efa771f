import type { LoadClient, LoadRequest, LoadResult } from './load.ts'
import type { Player } from './players.ts'
import { bet, fund } from './requests.ts'
import type { Storage } from './rows.ts'
import type { Runtime } from './runtime.ts'

/** The numbers of simultaneous players, each of whom waits for an answer before the next bet. */
const CONNECTIONS = [1, 16, 64, 256]
const BETS = 800
const WARMING = 500
export const ROUND_PLAYERS = WARMING + CONNECTIONS.length * BETS

/** The numbers of bets that reach the round at the same moment. The last is more than it queues. */
const WAVES = [1_000, 1_000, 4_000, 12_000]

/** All of it happens in one round. */
export const ROUND_VARS = { CRASH_BETTING_MS: '600000' }

/** What became of bets that reached the round together. Times in milliseconds from the moment they were sent. */
interface Wave {
  accepted: number
  refused: number
  acceptedMs: number
  refusedMs: number
  /** The answer to a refused bet. */
  refusal: string | null
}

/** Results of many bets in a single round. */
export interface RoundFigures {
  /** Whole bets, with the players' ledgers, by the number of connections. */
  bets: { connections: number; result: LoadResult }[]
  /** The round alone: bets whose stakes no ledger holds. */
  waves: Wave[]
}

/** Sends the round of a path `/place/{roundId}/{first}/{count}` that many bets at once, past the ledgers. */
export const ROUND_ROUTE = `new URL(request.url).pathname.startsWith('/place/') ? (async () => {
  const [roundId, first, count] = new URL(request.url).pathname.split('/').slice(2).map(Number)
  const wave = { accepted: 0, refused: 0, acceptedMs: 0, refusedMs: 0, refusal: null }
  const sentAt = Date.now()
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const wallet = 'wallet ' + (first + index)
    const order = { betId: roundId + ':' + wallet, wallet, token: 'ETH', amountWei: 1n, autoCashout: null }
    using refusal = await env.CRASH_ROUND.getByName(String(roundId)).place(order)
    wave[refusal ? 'refused' : 'accepted']++
    wave[refusal ? 'refusedMs' : 'acceptedMs'] = Date.now() - sentAt
    if (refusal) wave.refusal = refusal.error.code + ': ' + refusal.error.message
  }))
  return Response.json(wave)
})() :`

/** Measures a single round on a Worker that runs with {@link ROUND_ROUTE} and {@link ROUND_VARS}. */
export async function measureRound(
  client: LoadClient,
  { worker: url }: Runtime,
  players: readonly Player[],
): Promise<RoundFigures> {
  const send = (requests: LoadRequest[], connections: number) =>
    client.run({ url, connections, amount: requests.length, requests })
  // In parts, because a load has a time limit.
  for (let from = 0; from < players.length; from += BETS) {
    const some = players.slice(from, from + BETS)
    await send(
      some.map((player) => fund(player, 'ETH')),
      16,
    )
  }
  const watched = await fetch(new URL('/api/crash?action=watch', url))
  const { roundId } = await watched.json<{ roundId: number }>()
  await send(players.slice(0, WARMING).map(bet(roundId)), 16)
  const bets: RoundFigures['bets'] = []
  for (const [index, connections] of CONNECTIONS.entries()) {
    const some = players.slice(WARMING + index * BETS).slice(0, BETS)
    bets.push({ connections, result: await send(some.map(bet(roundId)), connections) })
  }
  const waves: Wave[] = []
  let placed = 0
  for (const count of WAVES) {
    const answer = await fetch(new URL(`/place/${roundId}/${placed}/${count}`, url))
    waves.push(await answer.json<Wave>())
    placed += count
  }
  return { bets, waves }
}

export function formatRound(storage: Storage, { bets, waves }: RoundFigures): string {
  const whole = bets.map(({ connections, result }) => {
    const { perSecond, p50Ms, p99Ms, failures } = result
    const failed = Object.keys(failures).length > 0 ? `  ${JSON.stringify(failures)}` : ''
    return `${String(connections).padStart(5)} connections: ${perSecond.toFixed(0)} bets a second, half within ${p50Ms.toFixed(0)} ms, 99 % within ${p99Ms.toFixed(0)} ms${failed}`
  })
  const alone = waves.map(({ accepted, refused, acceptedMs, refusedMs, refusal }) => {
    const perSecond = (accepted / acceptedMs) * 1_000
    const rest = refused > 0 ? `; ${refused} refused within ${refusedMs} ms: ${refusal}` : ''
    return `${String(accepted + refused).padStart(5)} at once: ${accepted} accepted within ${acceptedMs} ms, ${perSecond.toFixed(0)} a second${rest}`
  })
  return [
    `One round, ${storage}, whole bets:`,
    ...whole,
    `One round, ${storage}, without ledgers:`,
    ...alone,
  ].join('\n')
}
