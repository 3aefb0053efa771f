import { fail, get, isFailure, type Failure, type Problem } from '../api.ts'
import { useEffect, useState } from '../hooks.ts'
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

/** Makes a call for a component, and again when its query changes or an act has been ordered. */
export function useAnswer<T extends object>(
  path: string,
  query: Record<string, string> = {},
): OperatorAnswer<T> {
  const [answered, setAnswered] = useState<OperatorAnswer<T>>({ answer: null, problem: null })
  const asked = new URLSearchParams(query).toString()
  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const answer = await ask<T>(path, query)
      if (!isCurrent) return
      const hasFailed = isFailure(answer)
      setAnswered({
        answer: hasFailed ? null : answer,
        problem: hasFailed ? answer.error : null,
      })
    }
    void read()
    return () => {
      isCurrent = false
    }
  }, [path, asked, operating.value.news])
  return answered
}
