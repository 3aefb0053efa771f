import type { Unit } from '../../money/token.ts'
import { mayStake } from '../double-tap.ts'
import { useEffect } from '../hooks.ts'
import { useStore } from '../store.ts'
import type { Autobet } from './autobet.ts'
import { followPlayer, readPlan, typed } from './typed.ts'

/** Keeps the wallet's run going while the component is shown. */
export function useAutobet<Choice, Ticket>(
  autobet: Autobet<Choice, Ticket>,
  wallet: string | undefined,
) {
  const run = useStore(autobet.run)
  const { isAuto } = useStore(typed)
  useEffect(() => {
    followPlayer(wallet)
    if (wallet === undefined) return
    return autobet.show(wallet)
  }, [wallet])
  const isRunning = wallet !== undefined && run !== null && run.end === null
  useEffect(() => {
    if (isRunning) typed.patch({ isAuto: true })
  }, [isRunning])
  return { isRunning, isAuto: isRunning || (isAuto && autobet.isAllowed()) }
}

interface Stake {
  token: Unit
  amountWei: bigint
}

/** Starts a run by the plan as typed. @returns the correction to make, or null */
export async function startAutobet<Choice, Ticket>(
  autobet: Autobet<Choice, Ticket>,
  choice: Choice,
  { token, amountWei }: Stake,
): Promise<string | null> {
  if (!mayStake()) return null
  const plan = readPlan(typed.value, token)
  if (typeof plan === 'string') return plan
  const stake = { token, amountWei: amountWei.toString() }
  const isStarted = await autobet.start({ ...plan, choice, ...stake })
  return isStarted ? null : 'Autobet is running in another tab. Stop it there first.'
}
