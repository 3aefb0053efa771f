import { useId, type Child } from 'hono/jsx/dom'

/** A section of a view, with a title. */
export function Panel({ title, children }: { title: string; children?: Child }) {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
