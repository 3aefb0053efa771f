import { ACTIVITY_KINDS, type Activity, type ActivityKind } from '../../activity/activity.ts'
import { capital } from '../../core/words.ts'
import { TOKENS, type Token } from '../../money/token.ts'
import { SignInButtons } from '../account.tsx'
import type { Problem } from '../api.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { Time } from '../components/time.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useEffect, useState } from '../hooks.ts'
import { showCount } from '../locale.ts'
import { saveCsv } from '../save-file.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { activity, activityCsv, forgetActivity, readActivity, readMore } from './activity.ts'
import { changeOf, curveOf, profitsOf } from './profit.ts'

/** Everything that moved the player's chips. */
export default function ActivityView() {
  const { credentials } = useStore(session)
  return (
    <div class="activity">
      <h1 class="visually-hidden">Activity</h1>
      {credentials ? (
        <Own key={credentials.wallet} wallet={credentials.wallet} />
      ) : (
        <Panel title="Activity">
          <p>Sign in to see everything that moved your chips.</p>
          <p class="actions">
            <SignInButtons />
          </p>
        </Panel>
      )}
    </div>
  )
}

function Own({ wallet }: { wallet: string }) {
  useEffect(() => {
    void readActivity(null)
    return forgetActivity
  }, [])
  const { problem } = useStore(activity)
  return (
    <>
      <Refusal problem={problem} token="ETH" />
      <Totals />
      <Profit />
      <List wallet={wallet} />
    </>
  )
}

function Totals() {
  const { totals } = useStore(activity)
  return (
    <Panel title="Since your first chip">
      <table class="table wins sums">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Bets</th>
            <th scope="col">Wagered</th>
            <th scope="col">Returned</th>
            <th scope="col">Profit</th>
            <th scope="col">Deposited</th>
            <th scope="col">Withdrawn</th>
          </tr>
        </thead>
        <tbody>
          {TOKENS.map((token) => {
            const sums = totals?.[token]
            return (
              <tr key={token}>
                <td>{token}</td>
                <td data-label="Bets">{sums ? showCount(sums.bets) : '…'}</td>
                <td data-label="Wagered">
                  {sums && <Money amountWei={sums.wagered} token={token} />}
                </td>
                <td data-label="Returned">
                  {sums && <Money amountWei={sums.returned} token={token} />}
                </td>
                <td data-label="Profit">
                  {sums && (
                    <Change wei={BigInt(sums.returned) - BigInt(sums.wagered)} token={token} />
                  )}
                </td>
                <td data-label="Deposited">
                  {sums && <Money amountWei={sums.deposited} token={token} />}
                </td>
                <td data-label="Withdrawn">
                  {sums && <Money amountWei={sums.withdrawn} token={token} />}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Panel>
  )
}

/** Shows a gain or a loss, with its sign. */
function Change({ wei, token }: { wei: bigint; token: Token }) {
  const sign = wei > 0n ? '+' : ''
  return (
    <span class={wei > 0n ? 'gain' : ''}>
      {wei < 0n ? '−' : sign}
      <Money amountWei={wei < 0n ? -wei : wei} token={token} />
    </span>
  )
}

const WIDTH = 600
const HEIGHT = 160

function Profit() {
  const { entries } = useStore(activity)
  const [chosen, setChosen] = useState<Token | null>(null)
  const newest = entries.find(({ payout }) => payout !== null)?.token
  const token = chosen ?? newest ?? 'ETH'
  const profits = profitsOf(entries, token)
  const count = profits.length - 1
  const last = profits.at(-1) ?? 0n
  const { points, zero } = curveOf(profits, WIDTH, HEIGHT)
  return (
    <Panel title="Profit">
      <TokenChoice token={token} onChoose={setChosen} />
      {count === 0 ? (
        <p class="empty">No bet in {token} in this list.</p>
      ) : (
        <>
          <p class="profit">
            <Change wei={last} token={token} /> over the {count === 1 ? 'bet' : `${count} bets`} in
            the list below
          </p>
          <svg
            class={last >= 0n ? 'profit-curve good' : 'profit-curve'}
            viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <line x1="0" x2={WIDTH} y1={zero} y2={zero} />
            <polyline points={points} />
          </svg>
        </>
      )}
    </Panel>
  )
}

const ALL = 'all'
const KINDS = {
  Everything: ALL,
  ...Object.fromEntries(ACTIVITY_KINDS.map((kind) => [namedKind(kind), kind])),
}

function namedKind(kind: ActivityKind): string {
  return kind === 'partner' ? 'Partners' : capital(kind)
}

function List({ wallet }: { wallet: string }) {
  const { kind, entries, next, isReading } = useStore(activity)
  return (
    <Panel title="Activity">
      <div class="list-head">
        <Select
          label="Show"
          options={KINDS}
          value={kind ?? ALL}
          onChoose={(value) => void readActivity(value === ALL ? null : (value as ActivityKind))}
        />
        <Download />
      </div>
      {entries.length === 0 ? (
        <p class="empty" role="status">
          {isReading ? 'Reading…' : 'Nothing here yet.'}
        </p>
      ) : (
        <table class="table wins entries">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Stake</th>
              <th scope="col">Change</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.seq} entry={entry} wallet={wallet} />
            ))}
          </tbody>
        </table>
      )}
      {next !== null && (
        <button type="button" aria-disabled={isReading} onClick={() => void readMore()}>
          {isReading ? 'Reading…' : 'Show more'}
        </button>
      )}
    </Panel>
  )
}

function Row({ entry, wallet }: { entry: Activity; wallet: string }) {
  const { token, amountWei, payout, at } = entry
  const href = pageOf(entry, wallet)
  const name = nameOf(entry)
  return (
    <tr>
      <td>{href === null ? name : <a href={href}>{name}</a>}</td>
      <td>{payout === null ? '–' : <Money amountWei={amountWei} token={token} />}</td>
      <td>
        <Change wei={changeOf(entry)} token={token} />
      </td>
      <td>
        <Time at={at} isShort />
      </td>
    </tr>
  )
}

/** Returns the permanent page of a bet or play; null for anything else. */
function pageOf({ payout, roundId, nonce }: Activity, wallet: string): string | null {
  if (payout === null) return null
  return roundId === undefined ? `#/play/${wallet}/${nonce}` : `#/bet/${wallet}/${roundId}`
}

function nameOf({ kind, roundId, nonce, payout, partner }: Activity): string {
  if (roundId !== undefined) return `Crash, round ${roundId}`
  if (payout !== null) return `${capital(kind)}, play ${nonce}`
  return partner === undefined ? capital(kind) : `Partner ${partner}`
}

function Download() {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const download = async () => {
    if (isBusy) return
    setIsBusy(true)
    const file = await activityCsv()
    setIsBusy(false)
    setProblem(file.problem)
    if (file.csv !== null) saveCsv(file.csv, 'activity.csv')
  }
  return (
    <div class="download">
      <button type="button" aria-disabled={isBusy} onClick={() => void download()}>
        {isBusy ? 'Reading…' : 'Download CSV'}
      </button>
      <Refusal problem={problem} token="ETH" />
    </div>
  )
}
