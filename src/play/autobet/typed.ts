import type { Token } from '../../money/token.ts'
import { readAmount } from '../amounts.ts'
import { Store } from '../store.ts'
import type { Change, Plan } from './rules.ts'

/** A plan as the player types it. */
export interface Typed {
  isAuto: boolean
  /** Empty for no end. */
  count: string
  onWin: Change['kind']
  winPercent: string
  onLoss: Change['kind']
  lossPercent: string
  /** In whole tokens; empty for none. */
  stopProfit: string
  stopLoss: string
  pauseMs: number
}

export const typed = new Store<Typed>({
  isAuto: false,
  count: '10',
  onWin: 'reset',
  winPercent: '100',
  onLoss: 'reset',
  lossPercent: '100',
  stopProfit: '',
  stopLoss: '',
  pauseMs: 1_000,
})

export type TypedPlan = Omit<Plan<unknown>, 'choice' | 'token' | 'amountWei'>

/** Parses the form into a plan, or says what to correct. */
export function readPlan(text: Typed, token: Token): TypedPlan | string {
  const count = text.count.trim() === '' ? null : whole(text.count, 1_000_000)
  if (count === undefined) return 'Enter a number of bets, or none for no end.'
  const onWin = readChange(text.onWin, text.winPercent)
  const onLoss = readChange(text.onLoss, text.lossPercent)
  if (!onWin || !onLoss) return 'Raise the stake by 1 to 1,000 whole percent.'
  const stopProfitWei = readStop(text.stopProfit, token)
  const stopLossWei = readStop(text.stopLoss, token)
  if (stopProfitWei === undefined || stopLossWei === undefined) {
    return 'Enter the profit and the loss to stop at as amounts, or leave them empty.'
  }
  return { count, onWin, onLoss, stopProfitWei, stopLossWei, pauseMs: text.pauseMs }
}

function readChange(kind: Change['kind'], percentText: string): Change | null {
  if (kind !== 'raise') return { kind }
  const percent = whole(percentText, 1_000)
  return percent === undefined ? null : { kind, percent }
}

/** @returns null for none, undefined for what is no amount */
function readStop(text: string, token: Token): string | null | undefined {
  return text.trim() === '' ? null : readAmount(text, token)?.toString()
}

function whole(text: string, most: number): number | undefined {
  const number = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0
  return number >= 1 && number <= most ? number : undefined
}
