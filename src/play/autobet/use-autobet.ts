import type { Token } from '../../money/token.ts'
import { useEffect } from '../hooks.ts'
import { useStore } from '../store.ts'
import type { Autobet } from './autobet.ts'
import { readPlan, typed } from './typed.ts'

/** Keeps the wallet's run going while the component is shown. */
export function useAutobet<Choice, Ticket>(
  autobet: Autobet<Choice, Ticket>,
  wallet: string | undefined,
) {
  const run = useStore(autobet.run)
  const { isAuto } = useStore(typed)
  useEffect(() => {
    if (wallet === undefined) return
    const pause = autobet.show(wallet)
    if (autobet.run.value?.end === null) typed.patch({ isAuto: true })
    return pause
  }, [wallet])
  const isRunning = wallet !== undefined && run !== null && run.end === null
  return { isRunning, isAuto: isRunning || (isAuto && autobet.isAllowed()) }
}

interface Stake {
  token: Token
  amountWei: bigint
}

/** Starts a run by the plan as typed. @returns what to correct, or null */
export function startAutobet<Choice, Ticket>(
  autobet: Autobet<Choice, Ticket>,
  choice: Choice,
  { token, amountWei }: Stake,
): string | null {
  const plan = readPlan(typed.value, token)
  if (typeof plan === 'string') return plan
  autobet.start({ ...plan, choice, token, amountWei: amountWei.toString() })
  return null
}
