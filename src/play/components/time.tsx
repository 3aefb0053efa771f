import { timeOf, utcOf } from '../times.ts'

/** Shows a time as the browser's locale does. Hovering shows it in UTC. @param at unix milliseconds */
export function Time({ at }: { at: number }) {
  return (
    <time datetime={new Date(at).toISOString()} title={utcOf(at)}>
      {timeOf(at)}
    </time>
  )
}
