interface Props {
  label: string
  /** The milestones, in order. */
  steps: readonly string[]
  /** For each milestone, the awaited event. */
  waits: readonly string[]
  /** The index of the current step; the number of steps when all are done. */
  current: number
  /** False while it is the player's turn. */
  isAtWork?: boolean
}

/** Shows the progress of long work. */
export function Steps({ label, steps, waits, current, isAtWork = true }: Props) {
  return (
    <ol class={isAtWork ? 'steps at-work' : 'steps'} aria-label={label}>
      {steps.map((step, index) => (
        <li
          key={index}
          class={index < current ? 'done' : index === current ? 'current' : ''}
          aria-current={index === current ? 'step' : undefined}
        >
          {index === current ? `${waits[index]}${isAtWork ? '…' : ''}` : step}
          {index < current && <span class="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  )
}
