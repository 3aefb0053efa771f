import { useId, type Child } from 'hono/jsx/dom'

/** A titled part of a view. */
export function Panel({ title, children }: { title: string; children?: Child }) {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
