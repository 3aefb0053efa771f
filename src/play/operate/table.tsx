import type { Child } from 'hono/jsx/dom'

interface Props {
  caption: string
  columns: readonly string[]
  /** Each with as many cells as there are columns; the first names the row. */
  rows: readonly (readonly Child[])[]
  /** Shown without rows. */
  empty: string
}

/** A table that scrolls if the screen is narrower. */
export function Table({ caption, columns, rows, empty }: Props) {
  if (rows.length === 0) return <p class="empty">{empty}</p>
  return (
    <div class="scrolled" tabindex={0} role="region" aria-label={caption}>
      <table class="table wide">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
