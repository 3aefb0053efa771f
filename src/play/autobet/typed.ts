import type { Unit } from '../../money/token.ts'
import { readAmount, readCount } from '../amounts.ts'
import { FUN_WALLET } from '../fun/fun.ts'
import { Store } from '../store.ts'
import { chosenStrategy } from '../strategies/chosen.ts'
import type { Change, Plan } from './rules.ts'

/** A plan as the player types it. */
interface AutobetForm {
  isAuto: boolean
  /** Empty for no end. */
  count: string
  onWin: Change['kind']
  winPercent: string
  onLoss: Change['kind']
  lossPercent: string
  pauseMs: number
  onMissed: 'wait' | 'stop'
  /** Whether the chosen strategy says the stakes. */
  isByStrategy: boolean
  /** An amount typed for one token, or for fun chips, is never used for another. */
  amounts: Record<Unit, Amounts>
}

/** In whole tokens; empty for none. */
export interface Amounts {
  stopProfit: string
  stopLoss: string
  /** The most that the strategy may stake at once. */
  maxStake: string
}

const NO_AMOUNTS: Amounts = { stopProfit: '', stopLoss: '', maxStake: '' }

export const typed = new Store<AutobetForm>({
  isAuto: false,
  count: '10',
  onWin: 'reset',
  winPercent: '100',
  onLoss: 'reset',
  lossPercent: '100',
  pauseMs: 1_000,
  onMissed: 'wait',
  isByStrategy: false,
  amounts: { ETH: NO_AMOUNTS, USDG: NO_AMOUNTS, FUN: NO_AMOUNTS },
})

/** Whose plan was typed last. */
let typist: string | undefined

/** Turns automatic bets off for a player who leaves fun chips: a wallet's first bet is made by hand. */
export function followPlayer(wallet: string | undefined): void {
  if (typist === FUN_WALLET && wallet !== FUN_WALLET) typed.patch({ isAuto: false })
  typist = wallet
}

type TypedPlan = Omit<Plan<unknown>, 'choice' | 'token' | 'amountWei'>

/** Parses the form into a plan, or returns the correction to make. */
export function readPlan(text: AutobetForm, token: Unit): TypedPlan | string {
  const count = text.count.trim() === '' ? null : readCount(text.count, 1_000_000)
  if (count === undefined) return 'Enter a number of bets, or leave it empty to bet until you stop.'
  const onWin = readChange(text.onWin, text.winPercent)
  const onLoss = readChange(text.onLoss, text.lossPercent)
  if (!onWin || !onLoss) return 'Raise the stake by 1 to 1,000 whole percent.'
  const { stopProfit, stopLoss, maxStake } = text.amounts[token]
  const stopProfitWei = readStop(stopProfit, token)
  const stopLossWei = readStop(stopLoss, token)
  if (stopProfitWei === undefined || stopLossWei === undefined) {
    return 'Enter the profit and the loss to stop at as amounts, or leave them empty.'
  }
  const { pauseMs, onMissed } = text
  const plan = { count, onWin, onLoss, stopProfitWei, stopLossWei, pauseMs, onMissed }
  return text.isByStrategy ? withStrategy(plan, readAmount(maxStake, token)) : plan
}

/** A strategy bets only within limits that the player has typed. */
function withStrategy(plan: TypedPlan, maxStakeWei: bigint | null): TypedPlan | string {
  const { text } = chosenStrategy.value
  if (text === '') return 'Choose a strategy first.'
  if (maxStakeWei === null) return 'Enter the largest stake that the strategy may bet.'
  if (plan.count === null) return 'Enter a number of bets for the strategy.'
  if (plan.stopLossWei === null) return 'Enter the loss at which the strategy must stop.'
  return { ...plan, strategy: { text, maxStakeWei: maxStakeWei.toString() } }
}

function readChange(kind: Change['kind'], percentText: string): Change | null {
  if (kind !== 'raise') return { kind }
  const percent = readCount(percentText, 1_000)
  return percent === undefined ? null : { kind, percent }
}

/** @returns null for an empty field, undefined for an invalid amount */
function readStop(text: string, token: Unit): string | null | undefined {
  return text.trim() === '' ? null : readAmount(text, token)?.toString()
}
