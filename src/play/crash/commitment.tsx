import { Panel } from '../components/panel.tsx'
import { useStore } from '../store.ts'
import { live } from './live.ts'
import type { TableState } from './table.ts'

/** What fixed this round before the first bet. */
export function Commitment() {
  const { table } = useStore(live)
  if (!table) return null
  return (
    <Panel title="Provably fair">
      <p>
        Round {table.roundId} was fixed before its first bet. Once it has ended its seed is shown,
        and anybody can check it.
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
        <dd>{(table.edgeBps / 100).toFixed(2)} %</dd>
      </dl>
    </Panel>
  )
}

function Pepper({ source }: { source: TableState['pepperSource'] }) {
  return source.kind === 'drand-quicknet' ? (
    <>drand quicknet, round {source.round}: nobody knows it before bets close</>
  ) : (
    <>
      A second secret with this hash: <code>{source.pepperHash}</code>
    </>
  )
}
