import type { Mode } from '../../operator/modes.ts'

/**
 * Says that something takes nothing new. Always rendered, so that screen readers notice a change.
 * @param ending the text about everything that has yet to end; null if nothing is open any more
 */
export function Closing({ mode, ending }: { mode: Mode | undefined; ending: string | null }) {
  return (
    <p class="closing" role="status">
      {isShut(mode) && (ending ?? 'Closed for maintenance. Try again later.')}
    </p>
  )
}

/** Whether something takes nothing new, as far as the page knows. */
export function isShut(mode: Mode | undefined): boolean {
  return mode !== undefined && mode !== 'open'
}
