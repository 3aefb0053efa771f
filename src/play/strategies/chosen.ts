import { readKept, writeKept } from '../storage.ts'
import { Store } from '../store.ts'

/** A strategy that the player has chosen or written. */
interface StrategyChoice {
  name: string
  /** Its code; empty for none. */
  text: string
}

const KEY = 'fairhouse.strategy'

/** The strategy that automatic bets follow. It stays in this browser. */
export const chosenStrategy = new Store<StrategyChoice>(
  readKept<StrategyChoice>(KEY) ?? { name: '', text: '' },
)

export function chooseStrategy(chosen: StrategyChoice): void {
  chosenStrategy.set(chosen)
  writeKept(KEY, chosen)
}
