import { fail, get, isFailure, type Failure, type Problem } from '../api.ts'
import { useEffect, useState } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { operating } from './operator.ts'

/** A call of the operator's API, and what became of it. */
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
 * Makes a call for a component, and again every 30 seconds, and when its query changes or an act has been ordered. An
 * answer stays while later calls fail.
 */
export function useAnswer<T extends object>(
  path: string,
  query: Record<string, string> = {},
): OperatorAnswer<T> {
  const [answered, setAnswered] = useState<OperatorAnswer<T>>({ answer: null, problem: null })
  const asked = new URLSearchParams(query).toString()
  useEffect(() => {
    let isCurrent = true
    let answer: T | null = null
    const stop = repeatedly(async () => {
      const read = await ask<T>(path, query)
      if (!isCurrent) return
      const hasFailed = isFailure(read)
      if (!hasFailed) answer = read
      setAnswered({ answer, problem: hasFailed ? read.error : null })
    }, READ_EVERY_MS)
    return () => {
      isCurrent = false
      stop()
    }
  }, [path, asked, operating.value.news])
  return answered
}
