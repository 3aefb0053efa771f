import { capital } from '../../core/words.ts'
import type { FeedPlay } from '../../games/play-request.ts'
import { isGain } from '../../money/multiplier.ts'
import { FUN, type Unit } from '../../money/token.ts'
import { fail, get, isFailure } from '../api.ts'
import { Copied } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { Time } from '../components/time.tsx'
import { sayResult } from '../games/words.ts'
import { showMultiplier } from '../locale.ts'
import { proofOfPlay } from '../verify/play.ts'
import { ShownProof } from '../verify/shown-proof.tsx'
import { isNumber, useLoaded } from './loaded.ts'
import { NoSlip, Slip, Wallet } from './slip.tsx'

/** The permanent page of a play: #/play/<wallet>/<number>. */
export default function PlayView({ rest: [wallet = '', nonce = ''] }: { rest: string[] }) {
  return <Play key={`${wallet}/${nonce}`} wallet={wallet} nonce={nonce} />
}

function Play({ wallet, nonce }: { wallet: string; nonce: string }) {
  const play = useLoaded(async () =>
    isNumber(nonce)
      ? get<FeedPlay<Unit>>('/api/entropy', { action: 'play', wallet, nonce })
      : fail('not_found', 'That isn’t a play number.'),
  )
  return (
    <div class="slips">
      <h1 class="visually-hidden">Play {nonce}</h1>
      {!play && <p class="loading">Computing…</p>}
      {play && isFailure(play) && <NoSlip title="Play" problem={play.error} />}
      {play && !isFailure(play) && <Shown play={play} address={[wallet, nonce]} />}
    </div>
  )
}

function Shown(props: { play: FeedPlay<Unit>; address: [wallet: string, nonce: string] }) {
  const { play, address } = props
  const { wallet, nonce, game, token, amount, payout, multiplier, settledAt } = play
  const isGood = isGain(play)
  const isFun = token === FUN
  return (
    <>
      <Slip
        title={`${capital(game)}, ${isFun ? 'fun play' : 'play'} ${nonce}`}
        result={
          BigInt(payout) > 0n ? (
            <>
              {isGood ? 'Won' : 'Returned'} <Money amountWei={payout} token={token} /> at{' '}
              {showMultiplier(multiplier)}
            </>
          ) : (
            'Lost'
          )
        }
        isGood={isGood}
        facts={[
          ['Player', isFun ? 'You, with fun chips' : <Wallet wallet={wallet} />],
          ['Stake', <Money amountWei={amount} token={token} />],
          ['Payout', <Money amountWei={payout} token={token} />],
          ['Result', sayResult(play)],
          ['Played', <Time at={settledAt} />],
        ]}
        {...(isFun && { instead: <FunSlip play={play} /> })}
      />
      <ShownProof
        proof={{ ...proofOfPlay(play, ...address), title: 'Proof' }}
        address={['play', ...address]}
      />
    </>
  )
}

/** Nobody else can open the page of a fun play, so it can be copied whole. */
function FunSlip({ play: { wallet: _wallet, ...slip } }: { play: FeedPlay<Unit> }) {
  return (
    <p class="share">
      <span>Only this browser keeps fun plays. As JSON, for npm run verify:</span>
      <Copied text={JSON.stringify(slip)} shown="This play" name="play" />
    </p>
  )
}
