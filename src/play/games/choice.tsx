import { useId } from 'hono/jsx/dom'
import { capital } from '../../core/words.ts'

interface Props<T extends string> {
  label: string
  options: readonly T[]
  value: T
  isLocked?: boolean
  onChoose: (value: T) => void
}

/** A choice between a few options. */
export function Choice<T extends string>({
  label,
  options,
  value,
  isLocked = false,
  onChoose,
}: Props<T>) {
  const name = useId()
  return (
    <fieldset class="choice" disabled={isLocked}>
      <legend>{label}</legend>
      <div class="token-choice">
        {options.map((option) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChoose(option)}
            />
            <span>{capital(option)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface SliderProps {
  label: string
  min: number
  max: number
  value: number
  isLocked?: boolean
  onChange: (value: number) => void
}

/** A whole number within a range. */
export function Slider({ label, min, max, value, isLocked = false, onChange }: SliderProps) {
  const id = useId()
  return (
    <div class="field slider">
      <label for={id}>
        {label} <span aria-hidden="true">{value}</span>
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        value={value}
        disabled={isLocked}
        onInput={(event: Event) => onChange((event.target as HTMLInputElement).valueAsNumber)}
      />
    </div>
  )
}
