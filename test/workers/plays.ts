import { post, type Answer } from './support.ts'

/** A choice in each game. */
export const SELECTIONS = [
  { game: 'mines', params: { mines: 3, pick: 2 } },
  { game: 'limbo', params: { target: 1.5 } },
  { game: 'plinko', params: { risk: 'low' } },
  { game: 'keno', params: { picks: [1, 7, 40] } },
]

/** The newest plays, as the feed shows them. */
export async function recent(fields: object = {}): Promise<Answer['body'][]> {
  return (await post('/api/entropy', { action: 'recent', ...fields })).body.recent
}
