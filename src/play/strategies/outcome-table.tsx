import type { Child } from 'hono/jsx/dom'
import { percent } from '../../games/returns.ts'
import type { Token } from '../../money/token.ts'
import { Money } from '../components/money.tsx'
import { localDecimal, showCount } from '../locale.ts'
import { expectedLoss, type Outcome } from './simulate.ts'

const RETURN_DECIMALS = 4

interface Props {
  outcome: Outcome
  token: Token
}

/** The expected result beside the simulated one, and how the runs ended. */
export function OutcomeTable({ outcome, token }: Props) {
  const { runs, bets, staked, paid, expected, balances, bankroll } = outcome
  const share = (count: number) =>
    localDecimal(percent({ numerator: BigInt(count), denominator: BigInt(runs) }, 1))
  const measured = staked === 0n ? null : { numerator: paid, denominator: staked }
  return (
    <>
      <table class="table outcome-table" data-testid="outcome">
        <thead>
          <tr>
            <td />
            <th scope="col">Expected</th>
            <th scope="col">Simulated</th>
          </tr>
        </thead>
        <tbody>
          <Row
            name="Return on each stake"
            expected={localDecimal(percent(expected, RETURN_DECIMALS))}
            found={measured ? localDecimal(percent(measured, RETURN_DECIMALS)) : '–'}
          />
          <Row
            name="All runs"
            expected={<Signed wei={-expectedLoss(outcome)} token={token} />}
            found={<Signed wei={paid - staked} token={token} />}
          />
          <Row
            name="Average run"
            expected={<Signed wei={-expectedLoss(outcome) / BigInt(runs)} token={token} />}
            found={<Signed wei={(paid - staked) / BigInt(runs)} token={token} />}
          />
        </tbody>
      </table>
      <dl class="odds outcome-facts">
        <Fact name="Total bets">{showCount(bets)}</Fact>
        <Fact name="Total staked">
          <Money amountWei={staked} token={token} />
        </Fact>
        <Fact name="Runs that ended ahead">{share(outcome.ahead)}</Fact>
        <Fact name="Runs that couldn’t pay the next stake">{share(outcome.ruined)}</Fact>
        {outcome.tooHigh > 0 && (
          <Fact name="Runs stopped at the largest stake">{share(outcome.tooHigh)}</Fact>
        )}
        <Fact name="Longest losing streak">{outcome.longestLosses}</Fact>
      </dl>
      <h3>
        What was left of <Money amountWei={bankroll} token={token} />
      </h3>
      <dl class="odds outcome-facts">
        <Fact name="Worst run">
          <Money amountWei={balances.lowest} token={token} />
        </Fact>
        <Fact name="1 in 20 had less than">
          <Money amountWei={balances.low} token={token} />
        </Fact>
        <Fact name="Half had less than">
          <Money amountWei={balances.median} token={token} />
        </Fact>
        <Fact name="1 in 20 had more than">
          <Money amountWei={balances.high} token={token} />
        </Fact>
        <Fact name="Best run">
          <Money amountWei={balances.highest} token={token} />
        </Fact>
      </dl>
    </>
  )
}

function Row({ name, expected, found }: { name: string; expected: Child; found: Child }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{expected}</td>
      <td>{found}</td>
    </tr>
  )
}

function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** An amount with its sign. */
function Signed({ wei, token }: { wei: bigint; token: Token }) {
  const sign = wei < 0n ? '−' : '+'
  return (
    <span>
      {wei === 0n ? '' : sign}
      <Money amountWei={wei < 0n ? -wei : wei} token={token} />
    </span>
  )
}
