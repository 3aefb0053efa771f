import type { z } from 'zod'
import type { ReconciliationAnswer } from '../../../api/operator/answers-schema.ts'
import { TOKENS, type Token } from '../../../money/token.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { amountOf, namedAmount } from '../amount.ts'
import { useAnswer } from '../answers.ts'
import { Table } from '../table.tsx'
import { Wallet } from '../wallet.tsx'

type VaultReconciliation = NonNullable<z.infer<typeof ReconciliationAnswer>['reconciliation']>
type TokenReconciliation = VaultReconciliation['books'][Token]
type Drift = VaultReconciliation['drifts'][number]

const TERMS = [
  ['owed', 'Owed to players'],
  ['partners', 'Owed to partners'],
  ['house', "The house's"],
  ['faucet', 'From the faucet'],
  ['inFlight', 'In flight'],
  ['drift', 'Drift'],
] as const

/** The newest comparison of the vault with the ledgers, and the drifts that were found. */
export function Reconciliation() {
  const { answer, problem } = useAnswer<z.infer<typeof ReconciliationAnswer>>('/reconciliation')
  const found = answer?.reconciliation
  return (
    <Panel title="The vault against the ledgers">
      {problem && <p class="muted">{problem.message}</p>}
      {!problem && !answer && <p class="loading">Loading…</p>}
      {answer && !found && (
        <p class="empty">Nothing has been compared so far. That happens each minute.</p>
      )}
      {found && <Compared found={found} />}
    </Panel>
  )
}

function Compared({ found: { at, block, books, drifts, ended } }: { found: VaultReconciliation }) {
  return (
    <>
      <div class="operate tokens">
        {TOKENS.map((token) => (
          <TokenFacts key={token} token={token} books={books[token]} />
        ))}
      </div>
      <p class="hint">
        Holdings are the sum of the other lines. Compared <Time at={at} />, after block {block}.
      </p>
      <h3>Drifts now</h3>
      <Drifts caption="Drifts now" drifts={drifts} empty="None: everything agrees." />
      <h3>Drifts that have ended</h3>
      <Drifts caption="Drifts that have ended" drifts={ended} empty="None so far." />
    </>
  )
}

function TokenFacts({ token, books }: { token: Token; books: TokenReconciliation }) {
  return (
    <div>
      <h3>{token}</h3>
      <dl class="facts">
        <dt>Holdings</dt>
        <dd>
          <strong>{amountOf(books.holdings, token)}</strong>
        </dd>
        {TERMS.filter(([name]) => name !== 'faucet' || books.faucet !== '0').map(
          ([name, title]) => (
            <>
              <dt>{title}</dt>
              <dd class={name === 'drift' && books.drift !== '0' ? 'bad' : ''}>
                {amountOf(books[name], token)}
              </dd>
            </>
          ),
        )}
        {books.unbooked !== '0' && (
          <>
            <dt>Sent past the books</dt>
            <dd>{amountOf(books.unbooked, token)}</dd>
          </>
        )}
        {books.driftingSince !== null && (
          <>
            <dt>Drifting since</dt>
            <dd class="bad">
              <Time at={books.driftingSince} />
            </dd>
          </>
        )}
      </dl>
    </div>
  )
}

const PLACES: Record<string, string> = {
  vault: 'Vault: the chain has less than its own books',
  ledgers: 'Ledgers: their accounts do not sum to zero',
  others: 'All other wallets together',
  house: 'The house',
}

function Drifts({ caption, drifts, empty }: { caption: string; drifts: Drift[]; empty: string }) {
  return (
    <Table
      caption={caption}
      columns={['Where', 'Amount', 'Since', 'Until']}
      empty={empty}
      rows={drifts.map(({ token, place, amountWei, since, until }) => [
        <Place place={place} />,
        <span class={until === null ? 'bad' : ''}>{namedAmount(amountWei, token)}</span>,
        <Time at={since} />,
        until === null ? 'now' : <Time at={until} />,
      ])}
    />
  )
}

function Place({ place }: { place: string }) {
  const name = PLACES[place]
  return name === undefined ? <Wallet wallet={place} /> : <>{name}</>
}
