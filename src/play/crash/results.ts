import { get, isFailure } from '../api.ts'
import { Store } from '../store.ts'
import { live } from './live.ts'
import { withResults, type Results } from './news.ts'

/** The results of the newest fifty rounds, newest first. */
export const results = new Store<Results>([])

/** Reads the newest results, and adds those of the rounds that end. @returns a function that stops */
export function followResults(): () => void {
  void readResults()
  const take = () => results.set(withResults(results.value, live.value.table?.history ?? []))
  take()
  return live.subscribe(take)
}

async function readResults(): Promise<void> {
  const answer = await get<{ history: Results }>('/api/crash', { action: 'history' })
  if (!isFailure(answer)) results.set(withResults(results.value, answer.history))
}
