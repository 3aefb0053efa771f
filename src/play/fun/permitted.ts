import type { ShownTerms } from '../../transparency/terms.ts'
import { fail, type Failure } from '../api.ts'

/** Returns why these terms rule out play with fun chips, or null. The code signs the player out. */
export function whyNoFun({ funChips }: Pick<ShownTerms, 'funChips'>): Failure | null {
  if (funChips) return null
  return fail('auth_invalid', 'This site no longer offers fun chips. Connect a wallet to play.')
}
