// npm run play: plays in the terminal, from signing in to proving that the game was fair.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Disclosure } from '../crash/disclosure.ts'
import { playBox } from './play/box-game.ts'
import { Cashier } from './play/cashier.ts'
import { checkForced, checkGame, expectedChips, isForced } from './play/crash-checks.ts'
import { playGame, type Game, type Seat, type Wager } from './play/crash-game.ts'
import { playEntropy, type EntropyWager } from './play/entropy-game.ts'
import { LiveTable } from './play/live-table.ts'
import { playLootbox } from './play/lootbox-game.ts'
import { readPlayOptions, type PrizeGame } from './play/options.ts'
import { takePrizeSeat, type PrizeSeat } from './play/prize-seat.ts'
import { Receipts } from './play/receipts.ts'
import { expectWithin } from './play/stake.ts'
import { Client, ServiceError } from './shared/client.ts'
import { MANIFEST } from './shared/manifest.ts'
import { Player } from './shared/player.ts'
import { CommandError, LiveLine, printChecks, runCommand, say } from './shared/terminal.ts'
import { readDisclosure } from './verify/disclosure.ts'
import { loadWholeRound } from './verify/whole-round.ts'

/** How long to wait for the disclosure and the payout after a round. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

void runCommand(async () => {
  const { url, key, isOwnKey, rpcUrl, rounds, table } = readPlayOptions()
  const line = new LiveLine()
  const client = new Client(url, (seconds) => line.print(`too many calls; waiting ${seconds} s`))
  if (table.kind === 'prize') {
    return playForPrizes(await takePrizeSeat(client, key, line), table.game, rounds)
  }
  const { wager, entropy, withdraw } = table
  const { token } = wager
  const player = await signIn(client, key, isOwnKey)
  say(`Playing at ${client.baseUrl.origin} as ${player.wallet}`)
  const receipts = await Receipts.of(player.wallet, client)
  const cashier = await Cashier.at(client.baseUrl, key, rpcUrl, { player, line, receipts })
  if (!cashier.hasVault && withdraw.isAsked) {
    throw new CommandError(
      `--withdraw needs the service's chain, and ${MANIFEST} has none for this service. Name a node with --rpc, start npm run dev, or omit --withdraw.`,
    )
  }
  const seat = { player, line, receipts, table: new LiveTable(player, line) }
  const paidWei = entropy
    ? await playPlays(seat, cashier, { ...wager, ...entropy }, rounds)
    : await playRounds(seat, cashier, wager, rounds)
  const isPaid = paidWei !== null && (await cashier.payOut(token, withdraw.wanted, paidWei))
  if (receipts.savedIn !== null) {
    say(`Your receipts: ${receipts.savedIn}. Verify them: npm run verify -- ${receipts.savedIn}`)
  }
  return isPaid ? 0 : 1
})

/** Opens lootboxes or boxes. Stops with exit code 1 if a check fails. */
async function playForPrizes(seat: PrizeSeat, game: PrizeGame, rounds: number): Promise<number> {
  say(`Playing at ${seat.client.baseUrl.origin} as ${seat.account.address}`)
  const play = game === 'lootbox' ? playLootbox : playBox
  for (let played = 0; played < rounds; played++) if (!(await play(seat))) return 1
  return 0
}

/** Plays rounds of crash. @returns their payouts in smallest units; null if a check fails */
async function playRounds(
  seat: Seat,
  cashier: Cashier,
  wager: Wager,
  rounds: number,
): Promise<bigint | null> {
  let paidWei = 0n
  let voids = 0
  for (let played = 0; played < rounds;) {
    const { me, config } = await seat.player.state()
    expectWithin(wager, config.bounds)
    await cashier.provide(wager.token, wager.amountWei, BigInt(me.chips[wager.token]))
    const game = await playGame(seat, wager)
    if (!(await isProven(seat, game))) return null
    if (game.result.kind === 'won') paidWei += game.result.payoutWei
    if (game.result.kind !== 'voided') played++
    else if (++voids > rounds)
      throw new CommandError('Too many rounds were voided. Try again later.')
  }
  return paidWei
}

/** Plays an entropy game. @returns the payouts in smallest units; null if a check fails */
async function playPlays(
  { player, receipts }: Seat,
  cashier: Cashier,
  wager: EntropyWager,
  plays: number,
): Promise<bigint | null> {
  let paidWei = 0n
  for (let played = 0; played < plays; played++) {
    const [{ me }, { bounds }] = await Promise.all([player.state(), player.terms()])
    expectWithin(wager, bounds)
    await cashier.provide(wager.token, wager.amountWei, BigInt(me.chips[wager.token]))
    const payoutWei = await playEntropy(player, receipts, wager)
    if (payoutWei === null) return null
    paidWei += payoutWei
  }
  return paidWei
}

/** Signs in. The player's own key only signs in to the site it is connected to. */
async function signIn(client: Client, key: Hex, isOwnKey: boolean): Promise<Player> {
  const player = new Player(client, key)
  const message = await player.signInMessage()
  if (isOwnKey && !message.startsWith(`${client.baseUrl.host} wants you to sign in`)) {
    const [firstLine] = message.split('\n', 1)
    throw new CommandError(
      `${client.baseUrl.host} asked for a signature for another site ("${firstLine}"), so nothing was signed. Check --url.`,
    )
  }
  await player.signIn(message)
  return player
}

/** Checks a game and prints each check. */
async function isProven({ line, player }: Seat, game: Game): Promise<boolean> {
  if (game.result.kind === 'voided') {
    line.print(`round ${game.seen.roundId} was voided: its pepper did not arrive in time`)
  }
  const disclosure = await within(
    () => disclosureOf(player),
    ({ rounds, voided }) =>
      [...rounds, ...voided].some(({ roundId }) => roundId === game.seen.roundId),
  )
  const chipsAfter = await within(
    async () => BigInt((await player.state()).me.chips[game.token]),
    (chips) => chips === expectedChips(game),
  )
  const { roundId } = game.seen
  const checks = checkGame(game, disclosure, chipsAfter)
  if (isForced(game)) {
    const round = await within(
      () => unlessMissing(() => loadWholeRound(player.client, roundId)),
      (whole) => whole !== null,
    )
    if (!round) throw new CommandError(`The bets of round ${roundId} are not disclosed.`)
    checks.push(...checkForced(player.wallet, game, round))
  }
  const isFair = printChecks(
    checks,
    `Round ${roundId} was fair: you ${OUTCOME[game.result.kind]}, and every check passed.`,
    `Round ${roundId} failed a check. Keep this output as evidence.`,
  )
  say()
  return isFair
}

const OUTCOME: Record<Game['result']['kind'], string> = {
  won: 'won',
  lost: 'lost',
  voided: 'were refunded',
}

async function disclosureOf(player: Player): Promise<Disclosure> {
  const path = '/api/crash/verify-seeds'
  const { client } = player
  return readDisclosure(await client.get<unknown>(path), new URL(path, client.baseUrl).href)
}

/** Returns the read value, or null if the service doesn't have it yet. */
async function unlessMissing<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (fault) {
    if (fault instanceof ServiceError && fault.code === 'not_found') return null
    throw fault
  }
}

/** Reads repeatedly until the awaited value arrives. Returns the last value after PATIENCE_MS. */
async function within<T>(read: () => Promise<T>, isAwaited: (value: T) => boolean): Promise<T> {
  const patientUntil = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await read()
    if (isAwaited(value) || Date.now() >= patientUntil) return value
    await sleep(RETRY_MS)
  }
}
