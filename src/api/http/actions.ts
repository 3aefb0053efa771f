import { refuse, type Refusal } from '../../core/refusal.ts'
import type { JsonObject } from './body.ts'

/** Returns the action named in a body, or refuses an unknown one. */
export function chooseAction<T>(actions: Record<string, T>, body: JsonObject): T | Refusal {
  const { action } = body
  if (typeof action !== 'string') {
    const details = [{ path: 'action', message: 'must be a string' }]
    return refuse('invalid_request', 'The action is missing. Send action as a string.', details)
  }
  const chosen = Object.entries(actions).find(([name]) => name === action)?.[1]
  return (
    chosen ??
    refuse(
      'unknown_action',
      `This action is not known. Send one of: ${Object.keys(actions).join(', ')}.`,
    )
  )
}
