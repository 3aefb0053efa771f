import { DAY_MS } from '../../core/utc-day.ts'
import type { Token } from '../../money/token.ts'
import { readAmount } from '../amounts.ts'
import { wrong, type Problem } from '../api.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useState } from '../hooks.ts'
import { useStore } from '../store.ts'
import { cancelGrant, grantPermission, permitting } from './permissions.ts'

/** How long a permission can last, in days. */
const TERMS = { 'One day': '1', 'A week': '7', 'A month': '30', 'A year': '365' }

/** Lets a partner debit up to a daily limit. */
export function GrantForm({ partner }: { partner: string }) {
  const [token, setToken] = useState<Token>('USDG')
  const [text, setText] = useState('')
  const [days, setDays] = useState(TERMS['A month'])
  const [own, setOwn] = useState<Problem | null>(null)
  const { granting, isSigned, problem, problemOf } = useStore(permitting)
  const isBusy = granting?.partner === partner

  const submit = (event: Event) => {
    event.preventDefault()
    if (granting) return
    const maxPerDayWei = readAmount(text, token)
    const advice = `Enter a daily limit in ${token}, such as 0.5.`
    setOwn(maxPerDayWei === null ? wrong(advice) : null)
    if (maxPerDayWei === null) return
    const expiresAt = Math.floor((Date.now() + Number(days) * DAY_MS) / 1_000)
    void grantPermission({ partner, token, maxPerDayWei, expiresAt })
  }
  return (
    <form onSubmit={submit} aria-label={`Allow ${partner} to use your chips`}>
      <TokenChoice token={token} onChoose={setToken} />
      <AmountField label="Daily limit" token={token} text={text} bounds={null} onText={setText} />
      <Select label="Expires after" options={TERMS} value={days} onChoose={setDays} />
      <button type="submit" class="primary wide" aria-disabled={granting ? 'true' : 'false'}>
        {!isBusy ? `Allow ${token}` : isSigned ? 'Submitting…' : 'Sign in your wallet…'}
      </button>
      {isBusy && !isSigned && (
        <button type="button" onClick={cancelGrant}>
          Cancel
        </button>
      )}
      <Refusal problem={own ?? (problemOf === partner ? problem : null)} token={token} />
    </form>
  )
}
