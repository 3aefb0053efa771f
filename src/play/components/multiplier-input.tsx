import { toUnits } from '../../money/decimal.ts'
import type { Hundredths } from '../../money/multiplier.ts'
import { readDecimal } from '../locale.ts'

interface Props {
  id: string
  text: string
  placeholder?: string
  isWrong: boolean
  onText: (text: string) => void
}

/** A text field for a multiplier. An element with the id `${id}-hint` describes it. */
export function MultiplierInput({ id, text, placeholder, isWrong, onText }: Props) {
  return (
    <div class="with-unit">
      <input
        id={id}
        inputmode="decimal"
        autocomplete="off"
        placeholder={placeholder}
        value={text}
        aria-invalid={isWrong ? 'true' : 'false'}
        aria-describedby={`${id}-hint`}
        onInput={(event: Event) => onText((event.target as HTMLInputElement).value)}
      />
      <span aria-hidden="true">x</span>
    </div>
  )
}

/** Parses a multiplier as a player types it; returns null unless it is in the range. */
export function readMultiplier(text: string, min: Hundredths, max: Hundredths): Hundredths | null {
  const number = readDecimal(text)
  const hundredths = number && toUnits(number, 2)
  const isInRange = hundredths !== null && hundredths >= BigInt(min) && hundredths <= BigInt(max)
  return isInRange ? Number(hundredths) : null
}
