import { styleText } from 'node:util'
import type { z } from 'zod'
import type {
  ComparedRoundAnswer,
  PartnersAnswer,
  PlayerAnswer,
  RoundsAnswer,
  StuckAnswer,
  VerifiedPlayerAnswer,
} from '../../api/operator/inspection-answers-schema.ts'
import { isoTime } from '../../core/utc-day.ts'
import { counted } from '../../core/words.ts'
import { TOKENS } from '../../money/token.ts'
import { wholeUnits } from '../../money/whole-units.ts'

/** Makes a call that any operator may make. */
type Ask = <T>(path: string, query?: Record<string, string>) => Promise<T>

/** Shows money that does not move, and the acts that would end that. Returns 1 if something is stuck. */
export async function showStuck(ask: Ask, now: number): Promise<number> {
  const { stuck } = await ask<z.infer<typeof StuckAnswer>>('/stuck')
  if (stuck.length === 0) console.log('Nothing is stuck: all money moves.')
  for (const { kind, name, asset, amountWei, since, isStuck, cause, remedy, acts } of stuck) {
    const amount = amountWei === null ? '' : ` of ${amountOf(amountWei, asset ?? '')}`
    const minutes = Math.round((now - since) / 60_000)
    const line = `${kind}${amount} ${name}, since ${isoTime(since)} (${minutes} min)`
    console.log(isStuck ? styleText('red', line) : line)
    console.log(`  ${cause}\n  ${remedy}`)
    for (const { act, target } of acts) {
      console.log(`  npm run operate -- ${act} ${target} --reason "…"`)
    }
  }
  return stuck.some(({ isStuck }) => isStuck) ? 1 : 0
}

/** Shows a wallet's ledger and the newest page of its journal, or an older one. */
export async function showPlayer(ask: Ask, wallet: string, before?: string): Promise<number> {
  const query = { wallet, ...(before !== undefined && { before }) }
  const player = await ask<z.infer<typeof PlayerAnswer>>('/player', query)
  console.log(`${player.wallet}: ${player.entries} entries, ${player.openBets} open bets.`)
  if (player.isFrozen) console.log(styleText('red', 'An operator has frozen it.'))
  if (player.missingDeposits > 0) {
    console.log(
      styleText('red', `The chain has dropped ${player.missingDeposits} of its deposits.`),
    )
  }
  for (const token of TOKENS) {
    const named = { ...player.balances[token], ...player.totals[token] }
    const parts = Object.entries(named)
      .filter(([, amount]) => amount !== '0')
      .map(([name, amount]) => `${name} ${name === 'bets' ? amount : inWhole(amount, token)}`)
    console.log(`${token}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`)
  }
  for (const { nonce, token, amountWei, status } of player.withdrawals) {
    console.log(`Withdrawal ${nonce}: ${amountOf(amountWei, token)}, ${status}`)
  }
  const { limits, excluded } = player.protection
  if (excluded) console.log('The player is excluded from play.')
  for (const { kind, window, token, amountWei, minutes, used } of limits) {
    const [most, has] =
      token === null
        ? [`${minutes} min`, `${used} min`]
        : [amountOf(amountWei ?? '0', token), inWhole(used, token)]
    console.log(`Limit: ${kind} a ${window}, ${most}; used ${has}`)
  }
  for (const { seq, at, operationId, postings } of player.journal) {
    const moved = postings.map(
      ({ token, from, to, amountWei }) => `${amountOf(amountWei, token)} ${from} > ${to}`,
    )
    console.log(
      `${seq} ${isoTime(at)} ${operationId}${moved.length > 0 ? `: ${moved.join(', ')}` : ''}`,
    )
  }
  if (player.next !== null) console.log(`Older entries: --before ${player.next}`)
  return 0
}

/** Has a wallet's journal replayed. Returns 1 if it is not right. */
export async function showVerified(ask: Ask, wallet: string): Promise<number> {
  const query = { action: 'verify', wallet }
  const found = await ask<z.infer<typeof VerifiedPlayerAnswer>>('/player', query)
  if (!found.isRight) {
    console.log(styleText('red', `Verification failed: ${found.problem}.`))
    return 1
  }
  console.log(
    `Verified: the journal's entries add up to the balances. Entries: ${found.entries}, of which archived and not replayed: ${found.archived}.`,
  )
  return 0
}

/** Shows the partners: their limits, today's movements, and the debts to them. */
export async function showPartners(ask: Ask): Promise<number> {
  const { partners, countedTo, unlisted } = await ask<z.infer<typeof PartnersAnswer>>('/partners')
  if (partners.length === 0) console.log('No partner is configured.')
  const inAll = countedTo === null ? 'in all' : `in all, up to the last counted day, ${countedTo}`
  for (const { id, mode, keys, tokens } of partners) {
    console.log(`${id}: ${mode}, ${counted(keys, 'key')}`)
    for (const token of TOKENS) {
      const { creditedWei, debitedWei, dayLimitWei, maxDebtWei } = tokens[token]
      const { wagered, returned, settledWei, owedWei } = tokens[token]
      const [credited, debited, limit] = [creditedWei, debitedWei, dayLimitWei].map((wei) =>
        inWhole(wei, token),
      )
      console.log(`  ${token} today: credited ${credited}, debited ${debited}; limit ${limit}`)
      const [debits, credits, settled, owed] = [wagered, returned, settledWei, owedWei].map((wei) =>
        inWhole(wei, token),
      )
      console.log(
        `  ${token} ${inAll}: debits ${debits}, credits ${credits}, settled ${settled}; owed ${owed}`,
      )
      if (maxDebtWei !== null) console.log(`  ${token}: may owe ${inWhole(maxDebtWei, token)}`)
    }
  }
  if (countedTo === null) console.log('No day has been counted yet.')
  for (const id of unlisted) {
    console.log(
      `${id} has a balance in the books, but isn't in PARTNERS: what was settled with it counts as owed. List it again, with its \`settled\` and without a key.`,
    )
  }
  return unlisted.length === 0 ? 0 : 1
}

/** Shows the newest rounds and voids, with their beacons. */
export async function showRounds(ask: Ask): Promise<number> {
  const { newest, voided } = await ask<z.infer<typeof RoundsAnswer>>('/rounds')
  const lineOf = ({ roundId, endedAt, betCount, crash, reason, beacon }: (typeof newest)[number]) =>
    `${roundId} ${isoTime(endedAt)}, ${counted(betCount, 'bet')}, ${crash === null ? `void: ${reason}` : `${crash}x`}, ${beacon === null ? 'no beacon' : `beacon ${beacon}`}`
  for (const round of newest) console.log(lineOf(round))
  if (voided.length > 0) console.log('Voids:')
  for (const round of voided) console.log(lineOf(round))
  return 0
}

/** Compares a round with drand's own record. Returns 1 if they contradict each other. */
export async function showBeacon(ask: Ask, round: string): Promise<number> {
  const query = { action: 'beacon', round }
  const found = await ask<z.infer<typeof ComparedRoundAnswer>>('/rounds', query)
  const { beacon, publishedAt, signature, isSame, kind } = found
  console.log(`Round ${found.roundId}: beacon ${beacon}, published at ${isoTime(publishedAt)}.`)
  if (signature === null) {
    console.log("None of drand's relays has it.")
    return kind === 'settled' ? 1 : 0
  }
  if (isSame === null) {
    console.log("drand's relays have it, so it came too late for this round, which was voided.")
    return 1
  }
  console.log(isSame ? "It is the one that drand's relays have." : 'The relays have another one.')
  return isSame ? 0 : 1
}

/** Formats an amount in whole tokens, or of another asset in its smallest unit, with its name. */
function amountOf(amountWei: string, asset: string): string {
  const token = TOKENS.find((each) => each === asset)
  return `${token ? inWhole(amountWei, token) : amountWei} ${asset}`
}

function inWhole(amountWei: string, token: (typeof TOKENS)[number]): string {
  return wholeUnits(BigInt(amountWei), token)
}
