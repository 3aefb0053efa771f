import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail, type Failure, type Problem } from '../../../src/play/api.ts'
import {
  IDLE,
  isBusy,
  Job,
  judgePaidWork,
  MINED,
  type PollResult,
  type JobState,
  type Plan,
  type Tickets,
} from '../../../src/play/job.ts'
import { Store } from '../../../src/play/store.ts'
import { WalletError } from '../../../src/play/wallet/wallet.ts'

interface Ticket {
  hash: string
}

type State = JobState<Ticket, string>

const ANNA = '0xanna'
const BEN = '0xben'
const TICKET = { hash: '0x1' }

/** The wallet that is signed in. */
let player: string | undefined
let store: Store<State>
/** By wallet. */
let kept: Map<string, Ticket>
/** The service's next answers, in order; the last one repeats. */
let answers: (PollResult<string> | Error)[]
let asked: number

const tickets: Tickets<Ticket> = {
  read: (owner) => kept.get(owner) ?? null,
  write: (owner, ticket) => void kept.set(owner, ticket),
  drop: (owner) => void kept.delete(owner),
}

beforeEach(() => {
  vi.useFakeTimers()
  player = ANNA
  store = new Store<State>(IDLE)
  kept = new Map()
  answers = [{ isDone: true }]
  asked = 0
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function ask(): Promise<PollResult<string>> {
  const answer = answers[Math.min(asked++, answers.length - 1)]!
  if (answer instanceof Error) throw answer
  return answer
}

function jobOf(plan: Partial<Plan<Ticket, string>> = {}): Job<Ticket, string> {
  const steps = [{ name: 'waiting' as const, ask }]
  return new Job(store, { player: () => player, tickets, steps, ...plan })
}

const prompt = async () => TICKET
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)
const unknown = fail('payment_mismatch', 'Unknown.', { reason: 'not_found' })
const passing = fail('unreachable', 'No answer.')
const final = fail('amount_out_of_bounds', 'Too little.')

describe('a job', () => {
  it('starts with a prompt, takes its steps in order, and finishes', async () => {
    const seen: string[] = []
    store.subscribe(() => seen.push(`${store.value.step} ${store.value.news ?? '-'}`))
    const step = (name: 'confirming' | 'waiting', news: string) => ({
      name,
      ask: async () => ({ isDone: true, news }),
    })
    const ended = vi.fn()
    const steps = [step('confirming', 'one'), step('waiting', 'two')]
    await jobOf({ steps, ended }).start(prompt)
    expect(seen.filter((each, at) => each !== seen[at - 1])).toEqual([
      'wallet -',
      'confirming -',
      'confirming one',
      'waiting one',
      'waiting two',
      'done two',
    ])
    expect(store.value).toMatchObject({ owner: ANNA, ticket: TICKET, problem: null })
    expect(ended).toHaveBeenCalledExactlyOnceWith(store.value)
    expect(kept.size).toBe(0)
  })

  it('is busy from its prompt until it finishes', async () => {
    answers = [{ isDone: false, news: 'soon' }, { isDone: true }]
    const run = jobOf().start(prompt)
    expect(isBusy(store.value)).toBe(true)
    await seconds(0)
    expect(store.value).toMatchObject({ step: 'waiting', news: 'soon', ticket: TICKET })
    expect(kept.get(ANNA)).toEqual(TICKET)
    expect(isBusy(store.value)).toBe(true)
    await seconds(1)
    await run
    expect(isBusy(store.value)).toBe(false)
    expect(store.value).toMatchObject({ step: 'done', news: 'soon' })
  })

  it('polls once a second at first', async () => {
    answers = [{ isDone: false }]
    void jobOf().start(prompt)
    await seconds(10)
    expect(asked).toBe(11)
  })

  it('polls ever more rarely while it waits, at last twice a minute', async () => {
    answers = [{ isDone: false }, passing]
    void jobOf().start(prompt)
    await seconds(3_600)
    expect(asked).toBeLessThan(250)
    asked = 0
    await seconds(60)
    expect(asked).toBe(2)
  })

  it('does not poll again before the time that the service asks for', async () => {
    answers = [fail('rate_limited', 'Later.', { retryAfterSeconds: 10 })]
    void jobOf().start(prompt)
    await seconds(9)
    expect(asked).toBe(1)
    await seconds(1)
    expect(asked).toBe(2)
  })

  it('keeps what a step learns about it, and follows that', async () => {
    const known = { hash: '0x2' }
    const followed: Ticket[] = []
    const learn = async () => ({ isDone: true, ticket: known })
    const follow = async (ticket: Ticket) => (followed.push(ticket), { isDone: false })
    const steps = [
      { name: 'sent' as const, ask: learn },
      { name: 'waiting' as const, ask: follow },
    ]
    void jobOf({ steps }).start(prompt)
    await seconds(0)
    expect(kept.get(ANNA)).toEqual(known)
    expect(store.value.ticket).toEqual(known)
    expect(followed).toEqual([known])
  })

  it('that its player gives up polls no more and leaves nothing to resume', async () => {
    answers = [{ isDone: false }]
    const run = jobOf().start(prompt)
    await seconds(0)
    jobOf().forget()
    await seconds(5)
    await run
    expect(asked).toBe(1)
    expect(store.value).toEqual(IDLE)
    expect(kept.size).toBe(0)
  })

  it('cannot be started twice at the same time', async () => {
    answers = [{ isDone: false }]
    void jobOf().start(prompt)
    await seconds(0)
    const second = vi.fn(prompt)
    await jobOf().start(second)
    expect(second).not.toHaveBeenCalled()
  })

  it('does not start without a wallet', async () => {
    player = undefined
    await jobOf().start(prompt)
    expect(store.value).toEqual(IDLE)
  })
})

describe('a prompt that the wallet declines', () => {
  it.each<[string, () => Promise<Ticket | Failure>]>([
    ['by an exception', () => Promise.reject(new WalletError('Declined.'))],
    ['by a failure', async () => fail('wallet', 'Declined.')],
  ])('%s leaves an error and nothing to resume', async (_how, declined) => {
    const ended = vi.fn()
    await jobOf({ ended }).start(declined)
    expect(store.value).toMatchObject({ step: 'idle', ticket: null })
    expect(store.value.problem).toEqual({ code: 'wallet', message: 'Declined.' })
    expect(ended).toHaveBeenCalledOnce()
    expect(asked).toBe(0)
    expect(kept.size).toBe(0)
  })

  it('can be followed by another one', async () => {
    await jobOf().start(() => Promise.reject(new WalletError('Declined.')))
    await jobOf().start(prompt)
    expect(store.value).toMatchObject({ step: 'done', problem: null })
  })
})

describe('a prompt that its player has cancelled', () => {
  /** Starts a job and cancels it before the wallet has answered. */
  function cancelled() {
    let answer = (_ticket: Ticket) => {}
    let decline = () => {}
    const asking = new Promise<Ticket>((resolve, reject) => {
      answer = resolve
      decline = () => reject(new WalletError('Declined.'))
    })
    const second = vi.fn(prompt)
    const run = jobOf().start(async (_owner, checkWanted) => {
      const first = await asking
      if (first === TICKET) return first
      checkWanted()
      return second()
    })
    jobOf().cancel()
    return { run, answer, decline, second }
  }

  it('frees the job for another one, though the wallet never answers', async () => {
    cancelled()
    expect(isBusy(store.value)).toBe(false)
    expect(store.value.problem?.message).toContain('Decline the request in your wallet, too.')
    await jobOf().start(prompt)
    expect(store.value).toMatchObject({ step: 'done', problem: null })
  })

  it('is followed if the wallet sends the transaction after all', async () => {
    const { run, answer } = cancelled()
    answer(TICKET)
    await run
    expect(store.value).toMatchObject({ owner: ANNA, step: 'done', ticket: TICKET })
  })

  it('keeps what the wallet sends while another job is in progress', async () => {
    answers = [{ isDone: false }]
    const { run, answer } = cancelled()
    const other = { hash: '0x2' }
    void jobOf().start(async () => other)
    await seconds(0)
    answer(TICKET)
    await run
    expect(store.value).toMatchObject({ step: 'waiting', ticket: other })
    expect(kept.get(ANNA)).toEqual(TICKET)
  })

  it('shows no late refusal', async () => {
    const { run, decline } = cancelled()
    decline()
    await run
    expect(store.value.problem?.message).toContain('Cancelled.')
    expect(kept.size).toBe(0)
  })

  it('asks for nothing more', async () => {
    const { run, answer, second } = cancelled()
    answer({ hash: 'an approval' })
    await run
    expect(second).not.toHaveBeenCalled()
    expect(store.value.step).toBe('idle')
  })

  it('goes on if the wallet had answered', async () => {
    answers = [{ isDone: false }]
    void jobOf().start(prompt)
    await seconds(0)
    jobOf().cancel()
    expect(store.value).toMatchObject({ step: 'waiting', ticket: TICKET })
  })
})

describe('a failed attempt', () => {
  it('that is temporary is shown and retried', async () => {
    answers = [passing, { isDone: true }]
    const run = jobOf().start(prompt)
    await seconds(0)
    expect(store.value).toMatchObject({ step: 'waiting', problem: passing.error })
    await seconds(1)
    await run
    expect(store.value).toMatchObject({ step: 'done', problem: null })
  })

  it('that is final ends the job and discards the ticket', async () => {
    answers = [final]
    const ended = vi.fn()
    await jobOf({ ended }).start(prompt)
    expect(store.value).toMatchObject({ step: 'idle', ticket: null, problem: final.error })
    expect(kept.size).toBe(0)
    expect(ended).toHaveBeenCalledOnce()
  })

  it('keeps the ticket if the job may resume later', async () => {
    answers = [final]
    await jobOf({ judge: () => 'stop' }).start(prompt)
    expect(store.value).toMatchObject({ step: 'idle', ticket: TICKET, problem: final.error })
    expect(kept.get(ANNA)).toEqual(TICKET)
  })

  it('ends the job if the wallet or the chain throws', async () => {
    answers = [new WalletError('The transaction failed.')]
    await jobOf().start(prompt)
    expect(store.value.problem?.message).toBe('The transaction failed.')
    expect(kept.size).toBe(0)
  })
})

describe('a step’s timeout', () => {
  const steps = [{ name: 'waiting' as const, ask, patienceMs: 5_000, late: 'Too late.' }]

  it('ends the wait', async () => {
    answers = [{ isDone: false }]
    const run = jobOf({ steps }).start(prompt)
    await seconds(5)
    expect(store.value.step).toBe('waiting')
    await seconds(1)
    await run
    expect(store.value).toMatchObject({ step: 'idle', ticket: null })
    expect(store.value.problem).toEqual({ code: 'wallet', message: 'Too late.' })
    expect(kept.size).toBe(0)
  })

  it('is counted from the start of its own step', async () => {
    let isReady = false
    const slow = { name: 'confirming' as const, ask: async () => ({ isDone: isReady }) }
    answers = [{ isDone: false }, { isDone: true }]
    const run = jobOf({ steps: [slow, ...steps] }).start(prompt)
    await seconds(60)
    isReady = true
    await seconds(3)
    await run
    expect(store.value.step).toBe('done')
  })
})

describe('after it has finished', () => {
  it('a job keeps reporting updates, whatever fails, and is not busy', async () => {
    const later: PollResult<string>[] = [final, { isDone: false, news: 'paying' }]
    const after = async () => later.shift() ?? { isDone: true, news: 'paid' }
    const ended = vi.fn()
    const run = jobOf({ after, ended }).start(prompt)
    await seconds(1)
    expect(store.value).toMatchObject({ step: 'done', news: 'paying', problem: null })
    expect(isBusy(store.value)).toBe(false)
    expect(kept.size).toBe(0)
    await seconds(1)
    await run
    expect(store.value).toMatchObject({ step: 'done', news: 'paid' })
    expect(ended).toHaveBeenCalledOnce()
  })

  it('the next run takes over', async () => {
    const after = async () => ({ isDone: false, news: 'old' })
    const first = jobOf({ after }).start(prompt)
    await seconds(0)
    await jobOf().start(prompt)
    await seconds(3)
    await first
    expect(store.value).toMatchObject({ step: 'done', news: null })
  })
})

describe('an unknown payment', () => {
  it('is awaited without a message, then kept for later', async () => {
    answers = [unknown]
    const run = jobOf({ judge: judgePaidWork }).start(prompt)
    await seconds(119)
    expect(store.value).toMatchObject({ step: 'waiting', problem: null })
    await seconds(5)
    await run
    expect(store.value).toMatchObject({ step: 'idle', problem: unknown.error })
    expect(kept.get(ANNA)).toEqual(TICKET)
  })

  it.each<[string, Problem, string]>([
    [
      'of the wrong amount is dropped',
      { ...unknown.error, details: { reason: 'underpaid' } },
      'drop',
    ],
    ['that was used is dropped', fail('payment_used', '').error, 'drop'],
    ['that cannot be looked up is asked about again', fail('chain_unavailable', '').error, 'retry'],
  ])('%s', (_what, problem, verdict) => {
    expect(judgePaidWork(problem, 0)).toBe(verdict)
  })
})

describe('after a reload', () => {
  it('resumes with the stored ticket, without a prompt', async () => {
    kept.set(ANNA, TICKET)
    await jobOf().resume()
    expect(store.value).toMatchObject({ owner: ANNA, step: 'done', ticket: TICKET })
    expect(kept.size).toBe(0)
  })

  it('does nothing without a ticket, without a wallet, or while it is busy', async () => {
    await jobOf().resume()
    kept.set(ANNA, TICKET)
    player = undefined
    await jobOf().resume()
    expect(store.value).toEqual(IDLE)
    player = ANNA
    answers = [{ isDone: false }]
    void jobOf().resume()
    await seconds(0)
    const { run } = store.value
    await jobOf().resume()
    expect(store.value.run).toBe(run)
  })

  it('only shows a ticket that cannot be resumed', async () => {
    kept.set(ANNA, TICKET)
    await jobOf({ mayResume: () => false }).resume()
    expect(store.value).toMatchObject({ owner: ANNA, step: 'idle', ticket: TICKET })
    expect(asked).toBe(0)
    expect(kept.get(ANNA)).toEqual(TICKET)
  })
})

describe('when another wallet signs in', () => {
  it('stops polling, shows nothing of it, and resumes when the first is back', async () => {
    answers = [{ isDone: false }, { isDone: true }]
    const run = jobOf().start(prompt)
    await seconds(0)
    player = BEN
    await seconds(5)
    await run
    expect(asked).toBe(1)
    expect(store.value).toEqual(IDLE)
    player = ANNA
    await jobOf().resume()
    expect(store.value).toMatchObject({ owner: ANNA, step: 'done' })
  })

  it('keeps a ticket that the first wallet sent last', async () => {
    let send = (_ticket: Ticket) => {}
    const run = jobOf().start(() => new Promise<Ticket>((resolve) => (send = resolve)))
    player = BEN
    send(TICKET)
    await run
    expect(kept.get(ANNA)).toEqual(TICKET)
    expect(asked).toBe(0)
    expect(store.value).toEqual(IDLE)
  })

  it('lets that wallet start its own job', async () => {
    answers = [{ isDone: false }, { isDone: true, news: 'of Ben' }]
    const first = jobOf().start(prompt)
    await seconds(0)
    player = BEN
    await jobOf().start(async () => ({ hash: '0x2' }))
    await seconds(5)
    await first
    expect(store.value).toMatchObject({ owner: BEN, step: 'done', news: 'of Ben' })
    expect([...kept.keys()]).toEqual([ANNA])
  })

  it('resumes only that wallet’s own job', async () => {
    answers = [final]
    await jobOf({ judge: () => 'stop' }).start(prompt)
    player = BEN
    await jobOf().resume()
    expect(store.value).toEqual(IDLE)
    expect(kept.get(ANNA)).toEqual(TICKET)
  })
})

describe('a transaction', () => {
  /** A chain that returns these receipts, in order; the last one repeats. */
  function serve(receipts: (object | null)[]): void {
    vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
      const isReceipt = body.includes('eth_getTransactionReceipt')
      const receipt = receipts.length > 1 && isReceipt ? receipts.shift() : receipts[0]
      const result = isReceipt ? receipt : '0x10'
      return Response.json({ jsonrpc: '2.0', id: 1, result })
    })
  }

  it('is followed until it is in a block', async () => {
    serve([null, null, { status: '0x1', blockNumber: '0x10' }])
    const run = jobOf({ steps: [MINED] }).start(prompt)
    await seconds(1)
    expect(store.value.step).toBe('sent')
    await seconds(1)
    await run
    expect(store.value.step).toBe('done')
  })

  it('that fails ends the job', async () => {
    serve([{ status: '0x0', blockNumber: '0x10' }])
    await jobOf({ steps: [MINED] }).start(prompt)
    expect(store.value.problem?.message).toMatch(/failed on chain/)
    expect(kept.size).toBe(0)
  })

  it('that is never mined is abandoned after three minutes', async () => {
    serve([null])
    const run = jobOf({ steps: [MINED] }).start(prompt)
    await seconds(187)
    await run
    expect(store.value.problem?.message).toBe(MINED.late)
  })
})
