import { refuse, type Refusal } from '../../core/refusal.ts'
import type { JsonObject } from './body.ts'

/** The action that a body asks for, one of those that a path knows by their names. */
export function chooseAction<T>(actions: Record<string, T>, body: JsonObject): T | Refusal {
  const { action } = body
  if (typeof action !== 'string') {
    const details = [{ path: 'action', message: 'must be a string' }]
    return refuse('invalid_request', 'action must be a string.', details)
  }
  const chosen = Object.entries(actions).find(([name]) => name === action)?.[1]
  return chosen ?? refuse('unknown_action', `Known actions: ${Object.keys(actions).join(', ')}.`)
}
