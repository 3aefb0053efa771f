import { useId } from 'hono/jsx/dom'
import type { Unit } from '../../money/token.ts'
import { exactAmount, readAmount, shortAmount } from '../amounts.ts'
import { useHotkeys } from '../hotkeys.ts'
import { ambiguityHint } from '../locale.ts'

export interface Bounds {
  /** In smallest units. */
  min: string
  max: string
}

interface Props {
  label?: string
  token: Unit
  /** In whole tokens, as typed. */
  text: string
  bounds: Bounds | null
  /** The player's chips, in smallest units: with them, buttons stake all or the most. */
  chips?: string | undefined
  onText: (text: string) => void
}

/** A field for an amount in whole tokens, with buttons that change it within the bounds. */
export function AmountField({ label = 'Amount', token, text, bounds, chips, onText }: Props) {
  const id = useId()
  const amountWei = readAmount(text, token)
  const isWrong = text !== '' && !isWithin(amountWei, bounds)
  const scale = (change: (amountWei: bigint) => bigint) => {
    if (amountWei !== null) onText(exactAmount(held(change(amountWei), bounds), token))
  }
  const stake = (wei: string) => onText(exactAmount(held(BigInt(wei), bounds), token))
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-buttons">
        <input
          id={id}
          inputmode="decimal"
          autocomplete="off"
          spellcheck={false}
          value={text}
          aria-invalid={isWrong ? 'true' : 'false'}
          aria-describedby={`${id}-hint`}
          onInput={(event: Event) => onText((event.target as HTMLInputElement).value)}
        />
        <button type="button" onClick={() => scale((wei) => wei / 2n)}>
          ½<span class="visually-hidden"> the amount</span>
        </button>
        <button type="button" onClick={() => scale((wei) => wei * 2n)}>
          2×<span class="visually-hidden"> the amount</span>
        </button>
      </div>
      {chips !== undefined && bounds && (
        <div class="quick">
          <button type="button" onClick={() => stake(bounds.max)}>
            Max<span class="visually-hidden"> stake</span>
          </button>
          <button type="button" onClick={() => stake(chips)}>
            All in
          </button>
          <StakeKeys
            onHalve={() => scale((wei) => wei / 2n)}
            onDouble={() => scale((wei) => wei * 2n)}
            onMax={() => stake(bounds.max)}
          />
        </div>
      )}
      <p id={`${id}-hint`} class={isWrong ? 'hint wrong' : 'hint'}>
        {ambiguityHint(text)}{' '}
        {bounds &&
          `${shortAmount(bounds.min, token)} to ${shortAmount(bounds.max, token)} ${token}`}
      </p>
    </div>
  )
}

interface KeysProps {
  onHalve: () => void
  onDouble: () => void
  onMax: () => void
}

/** The keys of a stake. None stakes all: that takes a press of its button. */
function StakeKeys({ onHalve, onDouble, onMax }: KeysProps) {
  useHotkeys([
    { key: 'h', does: 'Halve the stake', press: onHalve },
    { key: 'd', does: 'Double the stake', press: onDouble },
    { key: 'm', does: 'Set the largest stake', press: onMax },
  ])
  return null
}

/** Whether an amount is within the bounds. Unknown bounds allow any amount. */
export function isWithin(amountWei: bigint | null, bounds: Bounds | null): boolean {
  if (amountWei === null) return false
  return bounds === null || (amountWei >= BigInt(bounds.min) && amountWei <= BigInt(bounds.max))
}

function held(amountWei: bigint, bounds: Bounds | null): bigint {
  if (!bounds) return amountWei > 0n ? amountWei : 1n
  const [min, max] = [BigInt(bounds.min), BigInt(bounds.max)]
  if (amountWei < min) return min
  return amountWei > max ? max : amountWei
}
