import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import postgres from 'postgres'
import { verifyMessage, type Address, type Hex } from 'viem'
import { z } from 'zod'
import { signInMessage, type Site } from '../../../src/auth/message.ts'
import { mergeJson } from '../../../src/core/json.ts'
import { dayAt } from '../../../src/core/utc-day.ts'
import { planRound } from '../../../src/crash/plan.ts'
import type { TokenLimits } from '../../../src/crash/stakes.ts'
import { movingState, steadyState, type Snapshot } from '../../../src/crash/state.ts'
import { perToken, type PerToken } from '../../../src/money/token.ts'

/** The service that ours is compared with, in a process of its own: Node, Hono, zod and PostgreSQL. */

export interface ServiceOrder {
  /** The folder of PostgreSQL's socket. */
  socket: string
  site: Site
  limits: PerToken<TokenLimits>
}

const CONNECTIONS = 16
const BETTING_MS = 3_600_000
const EDGE_BPS = 100
const ROUND_ID = 1

const Wallet = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const State = z.object({ wallet: Wallet, authSig: z.string().regex(/^0x[0-9a-f]{130}$/) })
const Stake = z.object({
  token: z.enum(['ETH', 'USDG']),
  amountWei: z.string().regex(/^\d{1,78}$/),
})
const Faucet = Stake.extend({ wallet: Wallet })
const Bet = State.extend(Stake.shape).extend({
  action: z.literal('bet'),
  autoCashout: z.number().min(1.01).max(1_000_000).nullish(),
  roundId: z.int().nullish(),
})
const Play = State.extend(Stake.shape).extend({
  action: z.literal('play'),
  game: z.literal('limbo'),
  params: z.object({ target: z.number().min(1.01).max(1_000_000) }),
  clientSeed: z.string().max(64).nullish(),
  nonce: z.int().min(0),
})

const NUMBERS = { ETH: 1, USDG: 2 }

async function start({ socket, site, limits }: ServiceOrder): Promise<{ url: string }> {
  const sql = postgres({ host: socket, user: 'bench', database: 'postgres', max: CONNECTIONS })
  /** Calls a stored function, as a prepared statement. */
  const call = (name: string, ...args: (string | number | null)[]) => {
    const places = args.map((_, index) => `$${index + 1}`).join(', ')
    return sql.unsafe<Answer[]>(`SELECT * FROM ${name}(${places})`, args, { prepare: true })
  }
  await sql.unsafe(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))
  const openedAt = Date.now()
  const times = { bettingMs: BETTING_MS, resultsMs: 1_000 }
  const terms = { edgeBps: EDGE_BPS, pepper: 'committed', minForcedMultiplier: 200 } as const
  const hashes = { terms: secret(), seedHash: secret(), pepperHash: secret() }
  const rules = { ...times, ...terms, limits }
  const plan = planRound({ roundId: ROUND_ID, openedAt, rules, ...hashes })
  await sql`INSERT INTO rounds (round_id, bets_close_at) VALUES (${ROUND_ID}, ${plan.betsCloseAt})`
  await sql`INSERT INTO stakes (round_id, token, share)
    SELECT ${ROUND_ID}, token, share FROM generate_series(1, 2) token, generate_series(0, 15) share`
  const snapshot: Snapshot = {
    plan,
    setTerms: {},
    stage: 'open',
    asOf: openedAt,
    takeoffAt: plan.flightAt,
    multiplier: 100,
    decidedTokens: [],
    totals: perToken(() => ({ count: 0, amountWei: '0' })),
    fixedBets: null,
    wins: [],
    result: null,
    history: [],
    recentWins: [],
    mode: 'open',
  }
  const ofPlay = { hash: '00'.repeat(32), autoplay: true, funChips: true, minPlayMs: 0 }
  const noVault = { depositFeeBps: 0, terms: ofPlay, chain: null, withdrawal: null }
  const steady = JSON.stringify(steadyState(snapshot, noVault))

  /** Signatures that were verified, with their days. */
  const known = new Set<string>()
  async function isSigned({ wallet, authSig }: z.infer<typeof State>): Promise<boolean> {
    const day = dayAt(Date.now())
    const key = `${wallet} ${authSig} ${day}`
    if (known.has(key)) return true
    const message = signInMessage(site, wallet, day)
    const signature = authSig as Hex
    const isValid = await verifyMessage({ address: wallet as Address, message, signature })
    if (isValid) known.add(key)
    return isValid
  }

  /** Handles a call that a wallet has signed. */
  function signed<Input extends z.infer<typeof State>>(
    schema: z.ZodType<Input>,
    carryOut: (input: Input) => Promise<readonly Answer[]>,
  ) {
    return async ({ req }: Context): Promise<Response> => {
      const read = schema.safeParse(req.method === 'GET' ? req.query() : await req.json())
      if (!read.success) return answered([{ status: 400, body: '"invalid_request"' }])
      if (await isSigned(read.data)) return answered(await carryOut(read.data))
      return answered([{ status: 401, body: '"auth_invalid"' }])
    }
  }

  const state = signed(State, async ({ wallet }) => {
    const found = await call('state_of', wallet, ROUND_ID)
    const table = mergeJson(JSON.stringify(movingState(snapshot, Date.now())), steady)
    return found.map(({ status, body }) => ({ status, body: mergeJson(table, body) }))
  })
  const bet = signed(Bet, async (input) => {
    const { wallet, token, amountWei, autoCashout = null, roundId } = input
    const { min, max, maxRoundPayout } = limits[token]
    const request = JSON.stringify([token, amountWei, autoCashout])
    const stake = [NUMBERS[token], token, amountWei, autoCashout]
    const bounds = [min, max, maxRoundPayout]
    return call('place_bet', wallet, roundId ?? ROUND_ID, request, ...stake, ...bounds)
  })
  const play = signed(Play, async ({ wallet, token, amountWei, nonce, params, clientSeed }) => {
    const { min, max, maxPayout } = limits[token]
    const seed = clientSeed ?? wallet.toLowerCase()
    const target = Math.round(params.target * 100)
    const request = JSON.stringify(['limbo', target, token, amountWei, seed])
    const stake = [NUMBERS[token], token, amountWei, target, seed, secret()]
    return call('play', wallet, nonce, request, ...stake, min, max, maxPayout, EDGE_BPS)
  })
  const app = new Hono()
    .get('/api/crash', state)
    .post('/api/crash', bet)
    .post('/api/entropy', play)
    .post('/api/dev/faucet', async ({ req }) => {
      const { wallet, token, amountWei } = Faucet.parse(await req.json())
      return answered(await call('fund', wallet, NUMBERS[token], amountWei, secret()))
    })
  return new Promise((resolve) => {
    const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1' }
    serve(options, ({ port }) => resolve({ url: `http://127.0.0.1:${port}` }))
  })
}

interface Answer {
  status: number
  /** JSON text. */
  body: string
}

function answered([answer]: readonly Answer[]): Response {
  const { status = 500, body = '"internal"' } = answer ?? {}
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

function secret(): string {
  return randomBytes(32).toString('hex')
}

/** The benchmark has ended, perhaps by a signal. */
process.on('disconnect', () => process.exit())

process.on('message', (order: ServiceOrder) => {
  void start(order).then((started) => process.send?.(started))
})
