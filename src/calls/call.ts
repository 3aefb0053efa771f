const TRIES = 3

/**
 * Retries an object call when the platform marks its failure as retryable: the object moved, or a
 * deployment restarted it. Calls must be idempotent, as all calls between our objects are, and
 * `call` must take a new stub each time. Never retries an overloaded object.
 *
 * Disposes the answer, which stays readable because our objects answer plain data. Otherwise an answer that
 * an object passes on from another one keeps that object's call open until it is collected.
 */
export async function retried<T>(call: () => Promise<T>): Promise<T> {
  let first: unknown
  for (let tries = 1; ; tries++) {
    try {
      return disposed(await call())
    } catch (fault) {
      // An earlier try may have been carried out, so the caller must not read that none was.
      first ??= fault
      if (tries === TRIES || !mayRetry(fault)) throw first
    }
  }
}

/** Waits for a call's answer. @throws if it takes too long; the call may still be carried out */
export async function answerWithin<T>(mostMs: number, call: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the answer took too long')), mostMs)
  })
  try {
    return await Promise.race([call, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Makes a call as a consequence of something already carried out. If the object is overloaded, its fault would
 * otherwise say that nothing was carried out.
 */
export async function afterCommit<T>(call: () => Promise<T>): Promise<T> {
  try {
    return disposed(await call())
  } catch (cause) {
    throw new Error('a call after a commit failed', { cause })
  }
}

/** The platform's properties of a fault of a call to an object. */
type PlatformFault = Partial<
  Record<'remote' | 'retryable' | 'overloaded' | 'durableObjectReset', boolean>
>

/** Returns an answer, disposed. For a call that {@link retried} must not make, because it is not idempotent. */
export function disposed<T>(answer: T): T {
  if (typeof answer === 'object' && answer !== null && Symbol.dispose in answer) {
    ;(answer as Disposable)[Symbol.dispose]()
  }
  return answer
}

/** Returns whether an object's own code has thrown a fault. The platform's own faults are `remote`, too. */
export function isThrownByObject(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false
  const { remote, retryable, overloaded, durableObjectReset } = fault as PlatformFault
  return remote === true && !retryable && !overloaded && !durableObjectReset
}

function mayRetry(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const { retryable, overloaded } = fault as PlatformFault
  return retryable === true && overloaded !== true
}
