import { dateOf } from '../../src/core/utc-day.ts'
import { disclosedAt } from '../../src/lootbox/disclosure.ts'
import { shareCodeOf } from '../../src/lootbox/share.ts'
import { EPOCH_MS } from '../../src/solvency/age.ts'
import { LEAF_AGE_MS } from '../../src/solvency/statement.ts'
import { CHAIN } from '../simulation/chain/addresses.ts'
import type { Chain } from '../simulation/chain/chain.ts'
import { LOOTBOX } from '../simulation/chain/pool-state.ts'
import type { Edit } from '../simulation/world/bundle.ts'
import { ADA, BEN, CLEO, House } from './house.ts'
import type { Lie } from './lie.ts'
import { Watch } from './watch.ts'

/** A story that has been told: what the players and the monitor have in hand. */
export interface Told {
  house: House
  watch: Watch
  /** The receipts that the players have kept. */
  receipts: string[]
  /** The number of calls that the house has taken: each has a receipt. */
  taken: number
  /** Whether the page of each player asks how a bet ended, for the receipt of its cash-out. */
  isOnPage: boolean
  /** The names of the bets that their players have cashed out by hand. */
  cashedOut: string[]
  /** The answer about Ben's free spin after its day, which he has saved; null if he has none. */
  spin: object | null
}

interface State {
  roundId: number
  phase: 'betting' | 'flight' | 'results'
}

interface Answer {
  ok: boolean
  receipt?: string
}

const USDG = 1_000_000
const LOOK_MS = 500
const ROUNDS = 3
/** A round, from betting to the end of its results, at most. */
const ROUND_MS = 300_000
/** An opening takes at most this long, and is asked for again after a block or two. */
const OPENED_MS = 120_000
const CONFIRMED_MS = 5_000
/** A checkpoint is shown for a second, so the log has the day after this. */
const STALE_MS = 2_000
/** Monitors wait this long for a disclosure, and a little more. */
const PATIENCE_MS = 660_000

/** Tells a story in a house with some edits to its sources. */
export async function tell(edits: readonly Edit[], story: Lie['story']): Promise<Told> {
  const hasLootbox = story === 'lootbox' || story === 'lootbox day'
  const hasVault = hasLootbox || WITH_VAULT.includes(story)
  const isLate = story === 'lootbox day'
  const house = await House.open(edits, { hasVault, hasLootbox, isLate })
  const told: Told = {
    house,
    watch: new Watch(),
    receipts: [],
    taken: 0,
    isOnPage: story === 'page',
    cashedOut: [],
    spin: null,
  }
  await playTable(told)
  await VISITS[story](told)
  return told
}

const WITH_VAULT: Lie['story'][] = ['vault', 'another count']

/** What comes after the games. */
const VISITS: Record<Lie['story'], (told: Told) => Promise<void>> = {
  table: async () => {},
  page: async () => {},
  vault: countDebts,
  'another count': async (told) => {
    await countDebts(told)
    told.house.visitor = 'other'
    await told.house.pass(LEAF_AGE_MS + 60_000)
    await told.house.post(ADA, '/api/dev/solvency', {})
    await told.watch.look()
  },
  export: async ({ house }) => {
    await house.post(ADA, '/api/dev/close-day', {})
    await house.pass(STALE_MS)
  },
  lootbox: async ({ house }) => {
    await openLootbox(house)
    await house.post(ADA, '/api/dev/close-day', {})
  },
  'lootbox day': async (told) => {
    const { house } = told
    const share = await openLootbox(house)
    const seedAt = disclosedAt(dateOf(house.now))
    await house.pass(seedAt + 60_000 - house.now)
    told.spin = await house.post<object>(BEN, '/api/lootbox', share)
    await house.post(ADA, '/api/dev/close-day', {})
  },
  'late visitor': async (told) => {
    await told.house.pass(120_000)
    told.watch = new Watch()
    await told.watch.look()
  },
  'patient visitor': async ({ house, watch }) => {
    await house.pass(PATIENCE_MS)
    await watch.look()
  },
  'late round': async (told) => {
    await told.house.pass(PATIENCE_MS)
    await playRound(told)
  },
  'two visitors': async (told) => {
    const { house, watch } = told
    await house.pass(5_000)
    await watch.look()
    house.visitor = 'other'
    const other = new Watch()
    await other.look()
    if (other.caught) throw new Error('the other visitor alone sees nothing wrong')
    told.watch = new Watch(watch.state())
    await told.watch.look()
  },
}

/** A player pays for the lootbox, and another one shares a post for a free spin. Returns the call of the latter. */
async function openLootbox(house: House): Promise<object> {
  const { chain, shareSite } = house.world
  if (!chain || !shareSite) throw new Error('this house has a lootbox')
  const { pool: to, priceWei: amount } = LOOTBOX
  const txHash = chain.send(ADA, { kind: 'transfer', to, amount, data: '0x' }, 'pay')
  const post = { author: 'ben', text: `#${shareCodeOf(BEN)}` }
  const postUrl = shareSite.share(post)
  await insist(house, ADA, { action: 'open', txHash })
  const share = { action: 'share-spin', postUrl }
  await insist(house, BEN, share)
  return share
}

/** Asks for an opening until its payment is confirmed, or its beacon is published. */
async function insist(house: House, wallet: string, call: object): Promise<void> {
  for (const until = house.now + OPENED_MS; house.now < until; await house.pass(CONFIRMED_MS)) {
    const answer = await house.post<{ open?: object }>(wallet, '/api/lootbox', call)
    if (answer.open) return
  }
  throw new Error('the lootbox did not open')
}

/** Three players bet and play games, and a monitor watches the log. */
async function playTable(told: Told): Promise<void> {
  const { house, watch } = told
  if (house.world.chain) await deposit(house, house.world.chain)
  for (const wallet of house.world.chain ? [] : [ADA, BEN, CLEO]) {
    const funds = { wallet, token: 'USDG', amountWei: String(1_000 * USDG), id: 'funds' }
    await house.post(wallet, '/api/dev/faucet', funds)
  }
  for (let rounds = 0; rounds < ROUNDS; rounds++) await playRound(told)
  for (const wallet of [ADA, BEN]) await playGames(told, wallet)
  // Meanwhile the last round is logged and disclosed.
  for (let looks = 0; looks < 4; looks++) {
    await house.pass(5_000)
    await watch.look()
  }
}

/** The house funds its vault, and the players deposit. */
async function deposit(house: House, chain: Chain): Promise<void> {
  const { owner: from, usdg: token, eth } = CHAIN
  const amount = 10n ** 24n
  for (const each of [token, eth])
    chain.send(from, { kind: 'fund', from, token: each, amount }, `fund ${each}`)
  chain.run()
  await house.pass(12_000)
  // The cron counts the house's funds, from which the limits follow.
  await house.pass(120_000)
  for (const wallet of [ADA, BEN, CLEO])
    chain.send(wallet, { kind: 'deposit', from: wallet, token, amount: 10n ** 9n }, wallet)
  await house.pass(10_000)
  for (const wallet of [ADA, BEN, CLEO]) await house.get(wallet, '/api/crash')
}

/** Old receipts bind the next hour's count of all debts, in which each player then looks for their chips. */
async function countDebts({ house, watch }: Told): Promise<void> {
  await house.pass(LEAF_AGE_MS)
  await house.pass(EPOCH_MS - (house.now % EPOCH_MS) + 120_000)
  await watch.look()
}

/** A round with three bets: with a low target, with a high one, and one that its player cashes out. */
async function playRound(told: Told): Promise<void> {
  const { house } = told
  const { roundId } = await reach(told, ({ phase }) => phase === 'betting')
  await bet(told, ADA, { amountWei: String(10 * USDG), autoCashout: 1.01, roundId })
  await bet(told, BEN, { amountWei: String(20 * USDG), autoCashout: 50, roundId })
  await bet(told, CLEO, { amountWei: String(30 * USDG), roundId })
  await reach(told, (state) => state.roundId > roundId || state.phase !== 'betting')
  await house.pass(600)
  await keep(told, CLEO, '/api/crash', { action: 'cashout', roundId })
  told.cashedOut.push(`he bet of ${CLEO.toLowerCase()} in round ${roundId}:`)
  await reach(told, (state) => state.roundId > roundId || state.phase === 'results')
  for (const wallet of told.isOnPage ? [ADA, BEN] : [])
    await keep(told, wallet, '/api/crash', { action: 'cashout', roundId })
}

function bet(told: Told, wallet: string, order: object): Promise<Answer> {
  return keep(told, wallet, '/api/crash', { action: 'bet', token: 'USDG', ...order })
}

const GAMES = [
  { game: 'plinko', params: { rows: 8, risk: 'low' } },
  { game: 'limbo', params: { target: 1.1 } },
]
const PLAYS = 6

/** Plays games, each under the commitment that the play before it made. */
async function playGames(told: Told, wallet: string): Promise<void> {
  const { fairness } = await told.house.get<{ fairness: { nonce: number } }>(wallet, '/api/entropy')
  const stake = { token: 'USDG', amountWei: String(USDG), clientSeed: `seed of ${wallet}` }
  for (let plays = 0; plays < PLAYS; plays++) {
    const choice = GAMES[plays % GAMES.length]
    const nonce = fairness.nonce + plays
    const play = { action: 'play', ...choice, ...stake, nonce }
    await keep(told, wallet, '/api/entropy', play)
    // As after an answer that was lost.
    if (plays === 0) await keep(told, wallet, '/api/entropy', play)
  }
  await playMines(told, wallet, { ...stake, nonce: fairness.nonce + PLAYS })
}

/** A game of mines of which most picks are safe, ended by its player unless it was a mine. */
async function playMines(told: Told, wallet: string, stake: { nonce: number }): Promise<void> {
  const { nonce } = stake
  const steps = [
    { action: 'mines-open', params: { mines: 1 }, ...stake },
    { action: 'mines-pick', nonce, tile: 7 },
    { action: 'mines-cashout', nonce },
  ]
  for (const step of steps) await keep(told, wallet, '/api/entropy', step)
}

/** Sends a call, and keeps its receipt. */
async function keep(told: Told, wallet: string, path: string, fields: object): Promise<Answer> {
  const answer = await told.house.post<Answer>(wallet, path, fields)
  if (answer.ok) told.taken++
  if (answer.receipt !== undefined) told.receipts.push(answer.receipt)
  return answer
}

/** Waits for a state of the table, while the monitor looks. */
async function reach(told: Told, isThere: (state: State) => boolean): Promise<State> {
  const { house, watch } = told
  for (const until = house.now + ROUND_MS; house.now < until; await house.pass(LOOK_MS)) {
    const state = await house.get<State>(ADA, '/api/crash')
    await watch.look()
    if (isThere(state)) return state
  }
  throw new Error('the table did not come to the expected state')
}
