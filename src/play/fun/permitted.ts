import type { TermsSummary } from '../../transparency/terms.ts'
import { fail, type Failure } from '../api.ts'
import { signOut } from '../session.ts'

/** Has the player leave if these terms rule out play with fun chips. @returns why, or null */
export function leaveUnlessOffered({ funChips }: Pick<TermsSummary, 'funChips'>): Failure | null {
  if (funChips) return null
  const why = fail('wallet', 'This site no longer offers fun chips. Connect a wallet to play.')
  signOut(why.error)
  return why
}
