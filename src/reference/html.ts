import { html as template, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** A fragment of HTML that is safe to insert into another. */
export type Html = HtmlEscapedString

/** Builds HTML from a template. Escapes all values except other fragments, of which none is a promise. */
export const html = template as (...args: Parameters<typeof template>) => Html

/**
 * Renders the Markdown used by the reference: paragraphs, headings, tables, code and bold.
 * @param level the HTML heading level of a `##` heading
 */
export function markdown(text: string, level: number): Html[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const [, marks, title] = /^(##+) (.*)$/.exec(block) ?? []
      if (marks && title) return heading(level + marks.length - 2, title)
      return block.startsWith('|')
        ? markdownTable(block.split('\n'))
        : html`<p>${inline(block)}</p>`
    })
}

function heading(level: number, title: string): Html {
  const tag = raw(`h${level}`)
  return html`<${tag}>${inline(title)}</${tag}>`
}

function markdownTable([head = '', , ...rows]: string[]): Html {
  const cells = (row: string) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => inline(cell.trim()))
  return table(cells(head), rows.map(cells))
}

/** Renders a table, with HTML or text in its cells. */
export function table(heads: unknown[], rows: unknown[][]): Html {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Renders inline `code` and **bold**. */
export function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`
  })
}
