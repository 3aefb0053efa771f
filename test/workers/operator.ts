import { expect } from 'vitest'
import { LEAD_MS } from '../../src/operator/modes.ts'
import { pass, post, type Answer } from './support.ts'

/** Has the local service carry out an operator's act. */
export function order(act: string, target: string): Promise<Answer> {
  return post('/api/dev/operate', { act, target, reason: 'a story' })
}

/** Sets switches and waits until every reader goes by them. */
export async function setModes(target: string): Promise<void> {
  const { body } = await order('mode', target)
  expect(body.act.result).toMatchObject({ isDone: true })
  pass(LEAD_MS)
}

/** Sets terms of play and waits until they hold. */
export async function setTerms(terms: object): Promise<void> {
  const { body } = await order('terms', JSON.stringify(terms))
  expect(body.act.result).toMatchObject({ isDone: true })
  pass(LEAD_MS)
}
