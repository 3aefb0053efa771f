import { isFailure } from '../api.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Time } from '../components/time.tsx'
import { useEffect, useState } from '../hooks.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import type { CountCheck } from './count.ts'

/** Says whether the wallet's chips are in the sum of the house's debts, once this device has checked it. */
export function Owed() {
  const { credentials } = useStore(session)
  const [counted, setCounted] = useState<CountCheck | null>(null)
  useEffect(() => {
    setCounted(null)
    if (!credentials) return
    // The checks are loaded when they are needed. Without an answer the panel stays away.
    void import('./count.ts')
      .then(({ readCount }) => readCount(credentials))
      .then((answer) => setCounted(isFailure(answer) ? null : answer))
      .catch(() => {})
  }, [credentials?.wallet])
  return counted && <Panel title="What we owe">{said(counted)}</Panel>
}

function said(counted: CountCheck) {
  switch (counted.kind) {
    case 'absent':
      return <p>Your chips will be in the next hourly count of what we owe.</p>
    case 'broken':
      return (
        <>
          <p class="bad" role="alert">
            Our newest count of what we owe failed a check on your device:
          </p>
          <ul>
            {counted.claims.map((claim) => (
              <li key={claim}>✗ {claim}</li>
            ))}
          </ul>
        </>
      )
    case 'proven':
      return (
        <>
          <p class="good">Your chips are in the sum of what we owe.</p>
          <p>
            Checked on your device, as of <Time at={counted.at} />:{' '}
            <Money amountWei={counted.owed.ETH} token="ETH" /> and{' '}
            <Money amountWei={counted.owed.USDG} token="USDG" /> of yours.
          </p>
          <p>
            By our count, the vault holds everything we owe. The chain shows what it held after
            block {counted.blockNumber}.
          </p>
          <p>
            Your receipts in this browser were checked too. This page can’t tell whether everyone
            sees the same count. The verifier can: it compares the count with our public log.
          </p>
        </>
      )
  }
}
