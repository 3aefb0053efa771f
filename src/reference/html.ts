/** A fragment of HTML that is safe to insert into another. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | null | Value[]

/** Builds HTML from a template. Escapes all values except other HTML fragments. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, index) => part + written(values[index] ?? null)).join(''))
}

function written(value: Value): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(written).join('')
  return value instanceof Html ? value.text : escaped(String(value))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

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
      return block.startsWith('|') ? table(block.split('\n')) : html`<p>${inline(block)}</p>`
    })
}

function heading(level: number, title: string): Html {
  const tag = new Html(`h${level}`)
  return html`<${tag}>${inline(title)}</${tag}>`
}

function table([head = '', , ...rows]: string[]): Html {
  const cells = (row: string) => row.slice(1, -1).split('|')
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          ${cells(head).map((cell) => html`<th scope="col">${inline(cell.trim())}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row).map((cell) => html`<td>${inline(cell.trim())}</td>`)}
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
