import { useId } from 'hono/jsx/dom'

interface Props {
  label: string
  /** The options' values, by their texts. */
  options: Record<string, string>
  value: string
  onChoose: (value: string) => void
}

/** A choice from a list. */
export function Select({ label, options, value, onChoose }: Props) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event: Event) => onChoose((event.target as HTMLSelectElement).value)}
      >
        {Object.entries(options).map(([text, each]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
