import { shortTimeOf, timeOf, utcOf } from '../times.ts'

/** Shows a time as the browser's locale does. Hovering shows it in UTC. @param at unix milliseconds */
export function Time({ at, isShort = false }: { at: number; isShort?: boolean }) {
  return (
    <time datetime={new Date(at).toISOString()} title={utcOf(at)}>
      {isShort ? shortTimeOf(at) : timeOf(at)}
    </time>
  )
}
