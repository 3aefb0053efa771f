import type { DisclosedBet } from '../../crash/disclosure.ts'
import { isGain } from '../../money/multiplier.ts'
import { fail, get, isFailure } from '../api.ts'
import { Money } from '../components/money.tsx'
import { Time } from '../components/time.tsx'
import { showMultiplier } from '../locale.ts'
import { proofOfBet } from '../verify/crash.ts'
import { ShownProof } from '../verify/shown-proof.tsx'
import { isNumber, useLoaded } from './loaded.ts'
import { NoSlip, Slip, Wallet } from './slip.tsx'

/** The permanent page of an ended bet: #/bet/<wallet>/<round>. */
export default function BetView({ rest: [wallet = '', roundId = ''] }: { rest: string[] }) {
  return <Bet key={`${wallet}/${roundId}`} wallet={wallet} roundId={roundId} />
}

function Bet({ wallet, roundId }: { wallet: string; roundId: string }) {
  const bet = useLoaded(async () =>
    isNumber(roundId)
      ? get<DisclosedBet>('/api/crash', { action: 'bet', wallet, roundId })
      : fail('not_found', 'That isn’t a round number.'),
  )
  return (
    <div class="slips">
      <h1 class="visually-hidden">Bet in round {roundId}</h1>
      {!bet && <p class="loading">Computing…</p>}
      {bet && isFailure(bet) && <NoSlip title="Bet" problem={bet.error} />}
      {bet && !isFailure(bet) && <Shown bet={bet} address={[wallet, roundId]} />}
    </div>
  )
}

function Shown(props: { bet: DisclosedBet; address: [wallet: string, roundId: string] }) {
  const { bet, address } = props
  const { wallet, roundId, token, amountWei, payout, autoCashout, placedAt } = bet
  const isGood = isGain({ payout, amount: amountWei })
  const crash = bet.outcome === 'voided' ? null : bet.crash
  return (
    <>
      <Slip
        title={`Bet in round ${roundId}`}
        result={sayResult(bet, isGood)}
        isGood={isGood}
        facts={[
          ['Player', <Wallet wallet={wallet} />],
          ['Stake', <Money amountWei={amountWei} token={token} />],
          ['Payout', <Money amountWei={payout} token={token} />],
          ['Auto cash-out', autoCashout === null ? 'None' : showMultiplier(autoCashout)],
          ['The round crashed at', crash === null ? 'It was voided' : showMultiplier(crash)],
          ['Placed', <Time at={placedAt} />],
          ['Round', <a href={`#/round/${roundId}`}>Round {roundId} and all its bets</a>],
        ]}
      />
      <ShownProof
        proof={{ ...proofOfBet(bet, ...address), title: 'Proof' }}
        address={['bet', ...address]}
      />
    </>
  )
}

function sayResult({ outcome, multiplier, payout, token }: DisclosedBet, isGood: boolean) {
  if (outcome === 'voided') return 'Refunded'
  if (outcome === 'lost') return 'Lost'
  return (
    <>
      {isGood ? 'Won' : 'Returned'} <Money amountWei={payout} token={token} /> at{' '}
      {showMultiplier(multiplier)}
    </>
  )
}
