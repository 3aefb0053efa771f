import type { Rental } from '../../ad-rental/rental.ts'
import { useEffect, useState } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { useStore } from '../store.ts'
import { ads, readAds } from './terms.ts'

const READ_EVERY_MS = 300_000

/** Shows the current advertisement, or offers the slot. */
export function AdSlot() {
  const { terms } = useStore(ads)
  useEffect(() => repeatedly(readAds, READ_EVERY_MS), [])
  const rental = terms?.activeRental
  return (
    <aside class="ad" aria-label="Advertisement">
      {terms && rental && <Advertisement key={rental.id} rental={rental} />}
      {terms && <a href="#/advertise">{rental ? 'Advertise here' : 'Your advertisement here'}</a>}
    </aside>
  )
}

function Advertisement({ rental: { title, imageUrl, linkUrl } }: { rental: Rental }) {
  const [isBroken, setIsBroken] = useState(false)
  return (
    <a
      class="ad-link"
      href={linkUrl}
      target="_blank"
      rel="sponsored noopener noreferrer nofollow"
      title={linkUrl}
    >
      <span class="ad-label">Advertisement</span>
      {!isBroken && (
        <img
          src={imageUrl}
          alt=""
          width="300"
          height="100"
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setIsBroken(true)}
        />
      )}
      <strong>{title}</strong>
    </a>
  )
}
