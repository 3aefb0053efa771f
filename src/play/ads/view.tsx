import { SignInButtons } from '../account.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { useEffect } from '../hooks.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { shortDate } from '../times.ts'
import { RentForm } from './rent-form.tsx'
import { rentalJob, renting } from './renting.ts'
import { ads, readAds, type AdAvailability } from './terms.ts'

export default function Advertise() {
  const { terms, problem } = useStore(ads)
  const owner = useStore(session).credentials?.wallet
  useEffect(() => {
    void readAds()
    void rentalJob.resume()
  }, [owner])
  return (
    <div class="prizes">
      <h1>Advertise</h1>
      <p class="lead">
        One slot, shown on every page, rented by the UTC day. You pay once from your wallet. If
        someone else takes your day first, you can use your payment for another day.
      </p>
      {!terms && <Refusal problem={problem} token="ETH" />}
      {terms && (
        <div class="panels">
          <Panel title="Rent the slot">
            {owner === undefined ? (
              <div class="row">
                <SignInButtons />
              </div>
            ) : (
              <RentForm terms={terms} />
            )}
          </Panel>
          <div class="column">
            <Rented />
            <Calendar terms={terms} />
          </div>
        </div>
      )}
    </div>
  )
}

function Rented() {
  const { news: rental } = useStore(renting)
  if (!rental) return null
  return (
    <Panel title="The slot is yours">
      <p class="good">{rental.title}</p>
      <p>
        {rental.label}: {when(rental.startsAt)} to {when(rental.endsAt)} (UTC)
      </p>
    </Panel>
  )
}

function Calendar({ terms: { availableSlots } }: { terms: AdAvailability }) {
  return (
    <Panel title="The next 30 days">
      <ul class="calendar">
        {availableSlots.map(({ date, available }) => (
          <li key={date} class={available ? 'free' : 'taken'}>
            <time datetime={date}>{shortDate(date)}</time>
            <span>{available ? 'free' : 'taken'}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function when(at: number): string {
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  return new Date(at).toLocaleString(undefined, {
    ...options,
    timeZone: 'UTC',
    numberingSystem: 'latn',
  })
}
