import { capital } from '../../core/words.ts'
import type { FeedPlay } from '../../games/placement.ts'
import { showMultiplier } from '../../money/multiplier.ts'
import { fail, get, isFailure } from '../api.ts'
import { Money } from '../components/money.tsx'
import { sayResult } from '../games/words.ts'
import { proofOfPlay } from '../verify/play.ts'
import { ShownProof } from '../verify/shown-proof.tsx'
import { isNumber, useLoaded } from './loaded.ts'
import { NoSlip, Slip, Time, Wallet } from './slip.tsx'

/** The permanent page of a play: #/play/<wallet>/<number>. */
export default function PlayView({ rest: [wallet = '', nonce = ''] }: { rest: string[] }) {
  return <Play key={`${wallet}/${nonce}`} wallet={wallet} nonce={nonce} />
}

function Play({ wallet, nonce }: { wallet: string; nonce: string }) {
  const play = useLoaded(async () =>
    isNumber(nonce)
      ? get<FeedPlay>('/api/entropy', { action: 'play', wallet, nonce })
      : fail('not_found', 'That isn’t a play number.'),
  )
  return (
    <div class="slips">
      <h1 class="visually-hidden">Play {nonce}</h1>
      {!play && <p class="loading">Computing…</p>}
      {play && isFailure(play) && <NoSlip title="Play" problem={play.error} />}
      {play && !isFailure(play) && <Shown play={play} />}
    </div>
  )
}

function Shown({ play }: { play: FeedPlay }) {
  const { wallet, nonce, game, token, amount, payout, multiplier, settledAt } = play
  const isGood = BigInt(payout) > 0n
  return (
    <>
      <Slip
        title={`${capital(game)}, play ${nonce}`}
        result={
          isGood ? (
            <>
              Won <Money amountWei={payout} token={token} /> at {showMultiplier(multiplier)}
            </>
          ) : (
            'Lost'
          )
        }
        isGood={isGood}
        facts={[
          ['Player', <Wallet wallet={wallet} />],
          ['Stake', <Money amountWei={amount} token={token} />],
          ['Payout', <Money amountWei={payout} token={token} />],
          ['Result', sayResult(play)],
          ['Played', <Time at={settledAt} />],
        ]}
      />
      <ShownProof
        proof={{ ...proofOfPlay(play), title: 'Proof' }}
        address={['play', wallet, String(nonce)]}
      />
    </>
  )
}
