import { capital, counted } from '../core/words.ts'
import type { DisclosedBet } from '../crash/disclosure.ts'
import type { RoundResult } from '../crash/result.ts'
import { specOf, type GameName, type Result } from '../games/games.ts'
import type { FeedPlay } from '../games/play-request.ts'
import { isGain, showHundredths, showMultiplier } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import { glanceUnits } from '../money/whole-units.ts'
import type { Card } from './card.ts'
import { flight, pictureOf } from './pictures.ts'

/** The preview that a platform shows of a link. */
export interface Preview {
  title: string
  description: string
  card: Card
}

const FIXED = 'The result was fixed before the bet. Verify it in your own browser.'

export function previewOfRound(round: RoundResult): Preview {
  const { roundId, betCount } = round
  const name = `Round ${roundId.toLocaleString('en')}`
  const bets = counted(betCount, 'bet')
  if (round.kind === 'voided') {
    return {
      title: `${name} was void`,
      description: `Every bet was refunded: ${bets}.`,
      card: { title: `Crash · ${name}`, result: 'Void', tone: 'plain', lines: [bets, 'Refunded'] },
    }
  }
  const crash = showHundredths(round.crash)
  const picture = flight(round.crash / 100)
  return {
    title: `${name} crashed at ${crash}`,
    description: `Crash, ${bets}. ${FIXED}`,
    card: { title: `Crash · ${name}`, result: crash, tone: 'plain', lines: [bets], picture },
  }
}

export function previewOfBet(bet: DisclosedBet): Preview {
  const { roundId, token, amountWei, payout } = bet
  const round = `round ${roundId.toLocaleString('en')}`
  const title = `Crash · Bet in ${round}`
  const stake = amountOf(amountWei, token)
  if (bet.outcome === 'voided') {
    return {
      title: `${stake} refunded in ${round}`,
      description: 'The round was void, so every bet was refunded.',
      card: { title, result: 'Refunded', tone: 'plain', lines: [stake] },
    }
  }
  const crash = showMultiplier(bet.crash)
  const crashed = `Crashed at ${crash}`
  if (bet.outcome === 'lost') {
    return {
      title: `Lost ${stake}: ${round} crashed at ${crash}`,
      description: `Crash. ${FIXED}`,
      card: {
        title,
        result: 'Lost',
        tone: 'bad',
        lines: [stake, crashed],
        picture: flight(bet.crash),
      },
    }
  }
  const won = showMultiplier(bet.multiplier)
  const paid = amountOf(payout, token)
  const picture = flight(bet.crash, bet.multiplier)
  const isGood = isGain({ payout, amount: amountWei })
  const result = `${isGood ? 'Won' : 'Returned'} ${paid}`
  return {
    title: `${result} at ${won} in ${round}`,
    description: `Crash: cashed out at ${won}, the round crashed at ${crash}. ${FIXED}`,
    card: {
      title,
      result: won,
      tone: isGood ? 'good' : 'plain',
      lines: [result, crashed],
      picture,
    },
  }
}

export function previewOfPlay(play: FeedPlay): Preview {
  const { game, nonce, token, amount, payout, multiplier } = play
  const name = capital(game)
  const [stake, paid] = [amountOf(amount, token), amountOf(payout, token)]
  const isLost = BigInt(payout) === 0n
  const isGood = isGain(play)
  const result = resultOf(play)
  const picture = pictureOf(play)
  return {
    title: isLost
      ? `${name}: lost ${stake}`
      : `${name}: ${isGood ? 'won' : 'returned'} ${paid} at ${showMultiplier(multiplier)}`,
    description: `${result}. ${FIXED}`,
    card: {
      title: `${name} · Play ${nonce.toLocaleString('en')}`,
      result: isLost ? 'Lost' : showMultiplier(multiplier),
      tone: isLost ? 'bad' : isGood ? 'good' : 'plain',
      lines: [isLost ? stake : `${stake} paid ${paid}`, ...(picture ? [] : [result])],
      ...(picture && { picture }),
    },
  }
}

/** The preview of the site itself, and of any undisclosed result. */
export const SITE: Preview = {
  title: 'Fairhouse',
  description: 'Crash and instant games with results you can verify yourself.',
  card: {
    title: 'Provably fair',
    result: 'Fairhouse',
    tone: 'plain',
    lines: ['Results you can verify yourself'],
  },
}

function resultOf<G extends GameName>({ game, meta }: Result<G>): string {
  return specOf(game).words.result(meta)
}

function amountOf(amountWei: string, token: Token): string {
  const [whole, decimals] = glanceUnits(BigInt(amountWei), token)
  return `${`${whole.toLocaleString('en')}.${decimals}`.replace(/\.?0+$/, '')} ${token}`
}
