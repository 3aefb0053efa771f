import { fail, get, isFailure, type Failure, type Problem } from '../api.ts'
import { useEffect, useState } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { operating } from './operator.ts'

/** A call of the operator's API, and its outcome. */
interface OperatorAnswer<T> {
  /** Null until it has been read. */
  answer: T | null
  problem: Problem | null
}

/** Makes a signed-in operator's call. */
export async function ask<T extends object>(
  path: string,
  query: Record<string, string> = {},
): Promise<T | Failure> {
  const { signedIn } = operating.value
  if (!signedIn) return fail('auth_required', 'Sign in again.')
  return get<T>(`/api/operate${path}`, query, { authorization: signedIn.authorization })
}

const READ_EVERY_MS = 30_000

/**
 * Makes a call for a component, and again every 30 seconds while the page is visible, and when its query changes or an
 * act has been ordered. An answer stays while later calls fail.
 */
export function useAnswer<T extends object>(
  path: string,
  query: Record<string, string> = {},
): OperatorAnswer<T> {
  const asked = `${path}?${new URLSearchParams(query)}`
  const nothing = { asked, answer: null, problem: null }
  const [answered, setAnswered] = useState<OperatorAnswer<T> & { asked: string }>(nothing)
  useEffect(() => {
    let isCurrent = true
    let isRepeated = false
    const stop = repeatedly(async () => {
      // The service logs each look at a player.
      if (isRepeated && document.hidden) return
      isRepeated = true
      const read = await ask<T>(path, query)
      if (!isCurrent) return
      setAnswered((shown) => {
        if (!isFailure(read)) return { asked, answer: read, problem: null }
        return { ...(shown.asked === asked ? shown : nothing), problem: read.error }
      })
    }, READ_EVERY_MS)
    return () => {
      isCurrent = false
      stop()
    }
  }, [asked, operating.value.news])
  return answered
}
