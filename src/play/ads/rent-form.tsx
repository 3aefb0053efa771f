import { useId } from 'hono/jsx/dom'
import { isPublicHttps, LONGEST_TITLE, LONGEST_URL } from '../../ad-rental/rental.ts'
import { exactAmount } from '../amounts.ts'
import { wrong, type Problem } from '../api.ts'
import { Transaction } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { PaidElsewhere } from '../components/paid-elsewhere.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { useState } from '../hooks.ts'
import { isBusy, isUnknownPayment } from '../job.ts'
import { useStore } from '../store.ts'
import { shortDate } from '../times.ts'
import {
  forgetPayment,
  isRefused,
  renting,
  rentSlot,
  unspentPayment,
  usePayment,
  type RentalDraft,
} from './renting.ts'
import { freeDates, type AdAvailability, type Tier } from './terms.ts'

export function RentForm({ terms }: { terms: AdAvailability }) {
  const state = useStore(renting)
  const payment = unspentPayment(state)
  const kept = payment?.order
  const [hours, setHours] = useState(kept?.hours ?? terms.tiers[0]?.hours ?? 0)
  const [date, setDate] = useState('')
  const [title, setTitle] = useState(kept?.title ?? '')
  const [imageUrl, setImageUrl] = useState(kept?.imageUrl ?? '')
  const [linkUrl, setLinkUrl] = useState(kept?.linkUrl ?? '')
  const [own, setOwn] = useState<Problem | null>(null)
  const tier = terms.tiers.find((each) => each.hours === hours)
  const dates = tier ? freeDates(terms, tier) : []
  const chosen = dates.includes(date) ? date : (dates[0] ?? '')
  const busy = isBusy(state)
  const refused = isRefused(state)

  const submit = (event: Event) => {
    event.preventDefault()
    if (busy || !tier) return
    const draft = { date: chosen, hours, title: title.trim(), imageUrl, linkUrl }
    const problem = whatIsWrong(draft)
    setOwn(problem)
    if (!problem) void rentSlot(draft, tier, terms.protocolWallet)
  }
  return (
    <div class="stack">
      <form onSubmit={submit}>
        <TierChoice tiers={terms.tiers} hours={hours} onChoose={setHours} />
        <Select
          label="First day (UTC)"
          options={Object.fromEntries(dates.map((each) => [shortDate(each), each]))}
          value={chosen}
          onChoose={setDate}
        />
        <TextField name="Title" text={title} onText={setTitle} maxLength={LONGEST_TITLE} />
        <TextField name="Image URL (https, 3:1)" text={imageUrl} onText={setImageUrl} isUrl />
        <TextField name="Link URL (https)" text={linkUrl} onText={setLinkUrl} isUrl />
        {payment && <KeptPayment {...payment} />}
        <button type="submit" class="primary wide" aria-disabled={busy ? 'true' : 'false'}>
          {busy ? (
            state.step === 'wallet' ? (
              'Confirm in your wallet…'
            ) : (
              'Paid. Waiting for the chain…'
            )
          ) : payment ? (
            'Rent with your earlier payment'
          ) : (
            <>Rent for {tier && <Money amountWei={tier.eth} token="ETH" />}</>
          )}
        </button>
        <Refusal problem={own ?? (state.problem && inWords(state.problem))} token="ETH" />
      </form>
      <p class="muted">
        Keep this page open until the slot is yours, or come back within 24 hours of your payment.
        Later it is no longer accepted.
      </p>
      {payment && refused && (
        <>
          <button type="button" onClick={forgetPayment}>
            Forget this payment
          </button>
          <p class="muted">
            {state.problem && isUnknownPayment(state.problem)
              ? 'It may still be mined. Forget it only if your wallet has cancelled or replaced it. Otherwise you pay twice.'
              : 'The next rental then takes a new payment.'}
          </p>
        </>
      )}
      {(!payment || refused) && (
        <PaidElsewhere
          question="Paid but not rented?"
          action="Use this payment"
          onHash={usePayment}
        />
      )}
    </div>
  )
}

function TierChoice({
  tiers,
  hours,
  onChoose,
}: {
  tiers: Tier[]
  hours: number
  onChoose: (hours: number) => void
}) {
  const name = useId()
  return (
    <fieldset class="tier-choice">
      <legend>Length</legend>
      {tiers.map((tier) => (
        <label key={tier.hours}>
          <input
            type="radio"
            name={name}
            checked={tier.hours === hours}
            onChange={() => onChoose(tier.hours)}
          />
          <span>
            <strong>{tier.label}</strong>
            <small>{exactAmount(tier.eth, 'ETH')} ETH</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface TextFieldProps {
  name: string
  text: string
  onText: (text: string) => void
  isUrl?: boolean
  maxLength?: number
}

function TextField({ name, text, onText, isUrl = false, maxLength = LONGEST_URL }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <input
        id={id}
        inputmode={isUrl ? 'url' : 'text'}
        placeholder={isUrl ? 'https://' : ''}
        autocomplete="off"
        maxlength={maxLength}
        value={text}
        onInput={(event: Event) => onText((event.target as HTMLInputElement).value)}
      />
    </div>
  )
}

function KeptPayment({ txHash }: { txHash: string }) {
  return (
    <p class="muted">
      You have an unused payment: <Transaction hash={txHash} /> It pays for any free days of the
      same price.
    </p>
  )
}

/** Checks a draft before anything is paid. */
function whatIsWrong({ date, title, imageUrl, linkUrl }: RentalDraft): Problem | null {
  if (date === '') return wrong('No slot of this length is free. Choose a shorter one.')
  if (title === '') return wrong('Enter a title for your advertisement.')
  if (!isPublicHttps(imageUrl)) return wrong('Enter an image URL that starts with https://.')
  return isPublicHttps(linkUrl) ? null : wrong('Enter a link URL that starts with https://.')
}

const FIELDS: Record<string, string> = {
  date: 'The first day',
  hours: 'The length',
  title: 'The title',
  imageUrl: 'The image URL',
  linkUrl: 'The link URL',
}

/** Names the fields that the service refused as the form does. */
function inWords(problem: Problem): Problem {
  const { details } = problem
  if (!Array.isArray(details)) return problem
  const places = details.map(({ path, message }) => `${FIELDS[path] ?? path} ${message}.`)
  return wrong(places.join(' '))
}
