import { writeJson } from '../../core/json.ts'
import { logFault } from '../../log.ts'
import { isImmutable } from '../../rpc-proxy/immutable.ts'
import { parseQuantity } from '../../rpc-proxy/log-range.ts'
import { rpcError, type RpcCall, type Outcome } from '../../rpc-proxy/protocol.ts'
import type { RpcError } from '../../rpc-proxy/rpc-error.ts'
import { Allowance } from './allowance.ts'
import { BoundedCache } from './bounded-cache.ts'
import { askUpstream, type Failure, type UpstreamAnswer } from './upstream.ts'

/** The time limit of one try at one upstream, including the check of its chain. */
const TIMEOUT_MS = 5_000

/** How long an upstream's chain stays trusted after a check. */
const TRUST_MS = 300_000

/** How long a failed upstream is tried only after the others. */
const REST_MS = 30_000

/** An isolate's state of an upstream. Values only, because a promise from another request never settles. */
interface UpstreamState {
  trustedUntil: number
  restsUntil: number
}

const states = new Map<string, UpstreamState>()

/** The cache of permanent results, mostly full blocks. */
const immutable = new BoundedCache(1_000, 8 * 1_048_576)

/** Reads a chain for one HTTP call. Makes equal calls once, and shares them with no other HTTP call. */
export class ChainReader {
  readonly #chainId: number
  readonly #upstreams: readonly string[]
  readonly #outcomes = new Map<string, Promise<Outcome>>()
  readonly #checks = new Map<string, Promise<Failure | null>>()
  readonly #allowance = new Allowance()

  /** @param upstreams in order of preference */
  constructor(chainId: number, upstreams: readonly string[]) {
    this.#chainId = chainId
    this.#upstreams = upstreams
  }

  ask(call: RpcCall): Promise<Outcome> {
    const paramsJson = writeJson(call.params)
    const key = `${this.#chainId} ${call.method} ${paramsJson}`
    const known = this.#outcomes.get(key)
    if (known) return known
    const outcome = this.#find(call, paramsJson, key)
    this.#outcomes.set(key, outcome)
    return outcome
  }

  /** Returns whether the isolate can hold answers of this length, in characters, until they are sent. */
  hold(chars: number): boolean {
    return this.#allowance.hold(chars)
  }

  /** How long the HTTP call may go on, in milliseconds. */
  get msLeft(): number {
    return this.#allowance.msLeft
  }

  /** Ends the HTTP call: forgets the bytes read and written for it. */
  release(): void {
    this.#allowance.release()
  }

  async #find(call: RpcCall, paramsJson: string, key: string): Promise<Outcome> {
    const kept = immutable.get(key)
    if (kept !== undefined) return { result: kept }
    const answer = await this.#askInTurn({ method: call.method, paramsJson })
    if ('error' in answer) return answer
    if ('failure' in answer) return unanswered(answer.failure)
    const result = JSON.stringify(answer.result)
    if (isImmutable(call, answer.result)) immutable.set(key, result)
    return { result }
  }

  /** Returns the first upstream's answer. Prefers to report a result as too large over other failures. */
  async #askInTurn(call: { method: string; paramsJson: string }): Promise<UpstreamAnswer> {
    let isTooLarge = false
    for (const upstream of this.#inOrder()) {
      const answer = await this.#askOne(upstream, call)
      if (!('failure' in answer) || answer.failure === 'exhausted') return answer
      if (answer.failure === 'too_large') isTooLarge = true
      else this.#report(upstream, answer.failure)
    }
    return { failure: isTooLarge ? 'too_large' : 'unreachable' }
  }

  async #askOne(
    upstream: string,
    call: { method: string; paramsJson: string },
  ): Promise<UpstreamAnswer> {
    const options = { signal: AbortSignal.timeout(TIMEOUT_MS), allowance: this.#allowance }
    const failure = await this.#check(upstream, options)
    return failure ? { failure } : askUpstream(upstream, call, options)
  }

  /** Returns the upstreams in order, resting ones last, since they may be the only ones. */
  #inOrder(): string[] {
    const now = Date.now()
    const isResting = (upstream: string) => now < this.#state(upstream).restsUntil
    return [
      ...this.#upstreams.filter((upstream) => !isResting(upstream)),
      ...this.#upstreams.filter(isResting),
    ]
  }

  /** Checks an upstream's chain, once for all calls. */
  #check(
    upstream: string,
    options: { signal: AbortSignal; allowance: Allowance },
  ): Promise<Failure | null> {
    if (Date.now() < this.#state(upstream).trustedUntil) return Promise.resolve(null)
    const known = this.#checks.get(upstream)
    if (known) return known
    const check = this.#checkChain(upstream, options)
    this.#checks.set(upstream, check)
    return check
  }

  async #checkChain(
    upstream: string,
    options: { signal: AbortSignal; allowance: Allowance },
  ): Promise<Failure | null> {
    const answer = await askUpstream(upstream, { method: 'eth_chainId', paramsJson: '[]' }, options)
    if ('failure' in answer) return answer.failure
    const chainId = 'error' in answer ? null : parseQuantity(answer.result)
    if (chainId !== BigInt(this.#chainId)) return 'wrong_chain'
    this.#state(upstream).trustedUntil = Date.now() + TRUST_MS
    return null
  }

  /** Notes a failure, and logs the first of a series. Logs an upstream's index, because its URL is secret. */
  #report(upstream: string, failure: Failure): void {
    const state = this.#state(upstream)
    const now = Date.now()
    if (now >= state.restsUntil) {
      logFault('rpc_upstream_failed', failure, {
        chainId: this.#chainId,
        upstream: this.#upstreams.indexOf(upstream),
      })
    }
    state.restsUntil = now + REST_MS
    // The upstream may be on another chain when it comes back.
    state.trustedUntil = 0
  }

  #state(upstream: string): UpstreamState {
    const key = `${this.#chainId} ${upstream}`
    const known = states.get(key)
    if (known) return known
    const state = { trustedUntil: 0, restsUntil: 0 }
    states.set(key, state)
    return state
  }
}

/** The answer to a call while the isolate holds as much as it can. */
export const EXHAUSTED = rpcError(
  'limited',
  'Too many large results at once. Wait a second and try again.',
)

function unanswered(failure: Failure): { error: RpcError } {
  if (failure === 'exhausted') return EXHAUSTED
  return failure === 'too_large'
    ? rpcError('internal', 'The result is too large. Ask for less at a time.')
    : rpcError('internal', 'No upstream is available. Try again.')
}
