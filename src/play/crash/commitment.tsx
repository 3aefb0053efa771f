import { Panel } from '../components/panel.tsx'
import { showNumber } from '../locale.ts'
import { useStore } from '../store.ts'
import { live } from './live.ts'
import type { TableState } from './table.ts'

/** Shows the commitments that fixed this round before the first bet. */
export function Commitment() {
  const { table } = useStore(live)
  if (!table) return null
  return (
    <Panel title="Provably fair">
      <p>
        Round {table.roundId} was fixed before its first bet. Its seed is revealed afterwards, so
        anyone can check the result.
      </p>
      <dl>
        <dt>Seed hash (SHA-256)</dt>
        <dd>
          <code>{table.seedHash}</code>
        </dd>
        <dt>Pepper</dt>
        <dd>
          <Pepper source={table.pepperSource} />
        </dd>
        <dt>House edge</dt>
        <dd>{showNumber(table.edgeBps / 100, 2, true)}%</dd>
      </dl>
    </Panel>
  )
}

function Pepper({ source }: { source: TableState['pepperSource'] }) {
  return source.kind === 'drand-quicknet' ? (
    <>drand quicknet, round {source.round}, published after bets close</>
  ) : (
    <>
      Second secret, revealed after the round. Its hash: <code>{source.pepperHash}</code>
    </>
  )
}
