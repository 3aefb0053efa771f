interface Props {
  label: string
  /** What is reached one after the other. */
  steps: readonly string[]
  /** What is waited for until each is. */
  waits: readonly string[]
  /** The index of the step that is under way; as many as there are steps once all is done. */
  current: number
  /** Whether something is under way, rather than the player's turn. */
  isAtWork?: boolean
}

/** How far something is that takes a while. */
export function Steps({ label, steps, waits, current, isAtWork = true }: Props) {
  return (
    <ol class={isAtWork ? 'steps at-work' : 'steps'} aria-label={label}>
      {steps.map((step, index) => (
        <li
          key={index}
          class={index < current ? 'done' : index === current ? 'current' : ''}
          aria-current={index === current ? 'step' : undefined}
        >
          {index === current ? `${waits[index]}${isAtWork ? ' …' : ''}` : step}
          {index < current && <span class="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  )
}
