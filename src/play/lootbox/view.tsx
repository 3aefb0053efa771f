import { shortAddress, SignInButtons } from '../account.tsx'
import { wrong } from '../api.ts'
import { assetAmount } from '../assets.ts'
import { HelpLink } from '../components/average.tsx'
import { Closing, isShut } from '../components/closing.tsx'
import { Copied, Transaction } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { PaidElsewhere } from '../components/paid-elsewhere.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { useEffect } from '../hooks.ts'
import { isBusy } from '../job.ts'
import { repeatedly } from '../pause.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { fromNow } from '../times.ts'
import {
  cancelOpening,
  missingPayment,
  opening,
  openOf,
  openWith,
  payAndOpen,
  resumeOpening,
  type State,
} from './opening.ts'
import { PrizeTable } from './prizes.tsx'
import { SpinPanel } from './spin-panel.tsx'
import {
  decimalsOf,
  lootbox,
  readLootbox,
  type OwnOpening,
  type LootboxAnswer,
  type Win,
} from './terms.ts'
import { BoxStage, VerifyLink } from './won.tsx'

const READ_EVERY_MS = 15_000

export default function Lootbox() {
  const owner = useStore(session).credentials?.wallet
  const { owner: reader, terms: read, problem } = useStore(lootbox)
  // Terms read for another wallet contain its share code. They must not be shown to this one.
  const terms = reader === owner ? read : null
  useEffect(() => {
    void resumeOpening()
    return repeatedly(readLootbox, READ_EVERY_MS)
  }, [owner])
  return (
    <div class="prizes">
      <h1>Lootbox</h1>
      {!terms && <Refusal problem={problem} token="ETH" />}
      {!terms && !problem && <p class="loading">Loading…</p>}
      {terms && (
        <div class="panels">
          <div class="column">
            <OpenPanel terms={terms} owner={owner} />
            {terms.spin.hosts.length > 0 && terms.shareCode !== undefined && (
              <SpinPanel terms={terms} code={terms.shareCode} />
            )}
          </div>
          <div class="column">
            <Odds terms={terms} />
            {terms.openings && <OwnOpenings terms={terms} openings={terms.openings} />}
            <RecentWins terms={terms} wins={terms.recentWins} />
          </div>
        </div>
      )}
    </div>
  )
}

function OpenPanel({ terms, owner }: { terms: LootboxAnswer; owner: string | undefined }) {
  const state = useStore(opening)
  const busy = isBusy(state)
  const isMissing = missingPayment(state) !== null
  return (
    <Panel title="Open a lootbox">
      <div class="stack">
        <Closing mode={terms.mode} ending={null} />
        <BoxStage state={state} terms={terms} />
        {owner === undefined ? (
          <div class="row">
            <SignInButtons />
          </div>
        ) : (
          <button
            type="button"
            class="primary wide"
            aria-disabled={busy || isShut(terms.mode) ? 'true' : 'false'}
            onClick={() => isShut(terms.mode) || void payAndOpen(terms)}
          >
            {busy ? (
              waitsFor(state)
            ) : (
              <>
                {isMissing ? 'Pay again:' : state.step === 'done' ? 'Open another for' : 'Open for'}{' '}
                <Money amountWei={terms.price} token="ETH" />
              </>
            )}
          </button>
        )}
        {state.step === 'wallet' && (
          <button type="button" onClick={cancelOpening}>
            Cancel
          </button>
        )}
        <Refusal problem={isMissing ? MISSING : state.problem} token="ETH" />
        <p class="muted">
          You pay once from your wallet. Keep this page open while it waits for a block, or come
          back within 24 hours. After that block, the prize is sent even if you close the page.
        </p>
        {owner !== undefined && (
          <PaidElsewhere
            question="Paid but not opened?"
            action="Open with this payment"
            onHash={(txHash) => void openWith(txHash)}
          />
        )}
      </div>
    </Panel>
  )
}

const MISSING = wrong(
  'The chain doesn’t have your payment. If your wallet has replaced it, for instance to speed it up, enter the new transaction under “Paid but not opened?”. “Pay again” costs you a second payment.',
)

function waitsFor({ step, news }: State): string {
  if (step === 'wallet') return 'Confirm in your wallet…'
  if (news?.status !== 'pending' || !news.confirmations) return 'Paid. Waiting for a block…'
  return `Confirming: ${news.confirmations} of ${news.required}…`
}

function Odds({ terms }: { terms: LootboxAnswer }) {
  const { price, prices, prizes, expectedValue, day, seedHash, nextSeedHash } = terms
  const won = openOf(useStore(opening))?.tier ?? null
  return (
    <Panel title="Prizes">
      <div class="stack">
        <PrizeTable
          {...{ prizes, expectedValue, prices, won }}
          priceWei={price}
          caption="Prizes in the lootbox"
        />
        <p>
          <HelpLink game="lootbox" />
        </p>
        <details class="more">
          <summary>Provably fair</summary>
          <p class="muted">
            Each day’s seed is fixed before the day starts. The prize follows from that seed, your
            payment and its block. The seed is published after the day ends.
          </p>
          <dl>
            <dt>Today’s seed hash, {day}</dt>
            <dd>
              <Copied text={seedHash} name="today’s seed hash" />
            </dd>
            <dt>Tomorrow’s seed hash</dt>
            <dd>
              <Copied text={nextSeedHash} name="tomorrow’s seed hash" />
            </dd>
          </dl>
        </details>
      </div>
    </Panel>
  )
}

function OwnOpenings({ terms, openings }: { terms: LootboxAnswer; openings: OwnOpening[] }) {
  return (
    <Panel title="Your openings">
      {openings.length === 0 && <p class="muted">You have not opened a lootbox yet.</p>}
      <ul class="rows">
        {openings.map((win) => (
          <li key={win.id}>
            <WhatWasWon terms={terms} win={win} />
            <span class={win.status === 'paid' ? 'state good' : 'state'}>
              {win.status === 'paid' ? 'Paid' : 'Paying…'}
            </span>
            <span class="links">
              {win.prizeTxHash && <Transaction hash={win.prizeTxHash} />}
              <VerifyLink id={win.id} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function RecentWins({ terms, wins }: { terms: LootboxAnswer; wins: Win[] }) {
  return (
    <Panel title="Recent wins">
      {wins.length === 0 && <p class="muted">No one has opened a lootbox yet.</p>}
      <ul class="rows">
        {wins.map((win, index) => (
          <li key={index}>
            <WhatWasWon terms={terms} win={win} />
            <span class="muted" title={win.wallet}>
              {shortAddress(win.wallet)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

type WonProps = { terms: LootboxAnswer; win: Omit<Win, 'wallet'> }

function WhatWasWon({ terms, win: { label, prize, asset, at } }: WonProps) {
  return (
    <span class="what">
      <strong>{assetAmount(prize, asset, decimalsOf(terms, asset))}</strong>
      <span class="muted">
        {label} · {fromNow(at)}
      </span>
    </span>
  )
}
