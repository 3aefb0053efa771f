import { type Child } from 'hono/jsx/dom'
import type { WholeRound } from '../../crash/disclosure.ts'
import { byStake } from '../../crash/table-bets.ts'
import { perToken, TOKENS } from '../../money/token.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Time } from '../components/time.tsx'
import { BetRows } from '../crash/bet-rows.tsx'
import { useState } from '../hooks.ts'
import { showMultiplier, showCount } from '../locale.ts'
import { untilAnswered } from '../pause.ts'
import { signedInWallet } from '../session.ts'
import { proofOfWhole, proveRound, withAllBets } from '../verify/crash.ts'
import type { Proof } from '../verify/proof.ts'
import { ShownProof } from '../verify/shown-proof.tsx'
import { isNumber, useLoaded } from './loaded.ts'
import { NoSlip, Slip } from './slip.tsx'

/** A round that has just ended is in the history a moment later. */
const PATIENCE_MS = 10_000

/** The permanent page of an ended round: #/round/<number>. */
export default function RoundView({ rest: [roundId = ''] }: { rest: string[] }) {
  return <RoundPage key={roundId} roundId={roundId} />
}

function RoundPage({ roundId }: { roundId: string }) {
  const proof = useLoaded(async () =>
    isNumber(roundId) ? proveRound(roundId) : fail('not_found', 'That isn’t a round number.'),
  )
  return (
    <div class="slips">
      <h1 class="visually-hidden">Round {roundId}</h1>
      {!proof && <p class="loading">Computing…</p>}
      {proof && isFailure(proof) && <NoSlip title="Round" problem={proof.error} />}
      {proof && !isFailure(proof) && <Proven roundId={roundId} proof={proof} />}
    </div>
  )
}

/** The proof of the round alone needs no bets, so it is shown even if they don't load. */
function Proven({ roundId, proof }: { roundId: string; proof: Proof }) {
  const round = useLoaded(() => readRound(roundId))
  const address = ['crash', roundId]
  if (!round || isFailure(round)) {
    return (
      <>
        {round ? (
          <NoSlip title="Bets" problem={round.error} />
        ) : (
          <p class="loading">Reading the bets…</p>
        )}
        <ShownProof proof={{ ...proof, title: 'Proof' }} address={address} />
      </>
    )
  }
  return (
    <>
      <RoundSlip round={round} />
      <ShownProof proof={{ ...proofOfWhole(round, roundId), title: 'Proof' }} address={address} />
      <Bets round={round} />
    </>
  )
}

async function readRound(roundId: string): Promise<WholeRound | Failure> {
  const query = { action: 'round', roundId }
  const answer = await untilAnswered(async () => {
    const read = await get<WholeRound>('/api/crash', query)
    return isFailure(read) && read.error.code === 'not_found' ? null : read
  }, PATIENCE_MS)
  if (!answer) {
    return fail(
      'not_found',
      'The bets of this round aren’t available yet. Reload the page in a moment.',
    )
  }
  return isFailure(answer) ? answer : withAllBets(answer)
}

function RoundSlip({ round }: { round: WholeRound }) {
  const { roundId, crash, betCount, bets, endedAt } = round
  const sums = perToken((token) => {
    const own = bets.filter((bet) => bet.token === token)
    const sum = (of: (bet: (typeof own)[number]) => string) =>
      own.reduce((total, bet) => total + BigInt(of(bet)), 0n)
    return { staked: sum(({ amountWei }) => amountWei), paid: sum(({ payout }) => payout) }
  })
  return (
    <Slip
      title={`Round ${roundId}`}
      result={
        crash === null ? 'Voided: every bet was refunded' : `Crashed at ${showMultiplier(crash)}`
      }
      isGood={false}
      facts={[
        ['Bets', showCount(betCount)],
        ...TOKENS.filter((token) => sums[token].staked > 0n).map((token): [string, Child] => [
          `Staked and paid in ${token}`,
          <>
            <Money amountWei={sums[token].staked} token={token} /> and{' '}
            <Money amountWei={sums[token].paid} token={token} />
          </>,
        ]),
        ['Ended', <Time at={endedAt} />],
      ]}
    />
  )
}

/** Bets are shown this many at a time. */
const STEP = 100

function Bets({ round }: { round: WholeRound }) {
  const [shown, setShown] = useState(STEP)
  const { roundId, bets, betCount } = round
  if (betCount === 0) {
    return (
      <Panel title="Bets">
        <p class="empty">Nobody bet in this round.</p>
      </Panel>
    )
  }
  const maxWei = perToken((token) => BigInt(round.plan?.limits[token].max ?? 1))
  const sorted = bets.toSorted(byStake(maxWei))
  return (
    <Panel title={betCount === 1 ? '1 bet' : `${showCount(betCount)} bets`}>
      <BetRows
        bets={sorted.slice(0, shown)}
        own={signedInWallet()}
        label={`Bets of round ${roundId}`}
        roundId={roundId}
        isVoided={round.crash === null}
      />
      {shown < sorted.length && (
        <button type="button" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, sorted.length - shown)} more
        </button>
      )}
    </Panel>
  )
}
