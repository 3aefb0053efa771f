import type { OpenApi, OpenApiOperation, OpenApiResponse } from './document.ts'
import { fieldsTable, nameCell, refName, typeOf, variantsOf } from './fields.ts'
import { html, inline, markdown, table, type Html } from './html.ts'
import type { JsonSchema } from './schemas.ts'

/** The address in the examples: local play. */
const LOCAL = 'http://localhost:8787'

interface Place {
  path: string
  method: string
  operation: OpenApiOperation
}

/** Renders the document as one page without scripts. Its style is reference/page.css. */
export function referencePage(document: OpenApi): string {
  const { info, tags, paths, components } = document
  const places = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const ofTag = (tag: string) => places.filter(({ operation }) => operation.tags.includes(tag))
  const [refusals, schemas] = partition(Object.entries(components.schemas), ([name]) =>
    name.startsWith('Refusal'),
  )
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: API reference</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/reference/page.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <nav aria-label="Operations">
          <p><a href="/">${info.title}</a></p>
          <ul>
            <li><a href="#main">About</a></li>
            ${tags.map(
              ({ name }) =>
                html`<li>
                  ${name}
                  <ul>
                    ${ofTag(name).map(
                      ({ path, method, operation }) =>
                        html`<li>
                          <a href="#${operation.operationId}"
                            ><span class="method">${method.toUpperCase()}</span> ${path}</a
                          >
                        </li>`,
                    )}
                  </ul>
                </li> `,
            )}
            <li><a href="#schemas">Schemas</a></li>
            <li><a href="#refusals">Refusals</a></li>
          </ul>
        </nav>
        <main id="main">
          <h1>${info.title}: API reference</h1>
          <p>
            ${info.summary} Version ${info.version}, as
            <a href="/reference/openapi.yaml">OpenAPI 3.1</a>.
          </p>
          ${markdown(info.description, 2)}
          ${tags.map(
            ({ name, description }) =>
              html`<section>
                <h2>${name}</h2>
                <p>${description}</p>
                ${ofTag(name).map((place) => article(place, components.schemas))}
              </section> `,
          )}
          <section id="schemas">
            <h2>Schemas</h2>
            ${schemas.map(schemaSection)}
          </section>
          <section id="refusals">
            <h2>Refusals</h2>
            ${refusals.map(schemaSection)}
          </section>
        </main>
      </body>
    </html> `.toString()
}

function partition<T>(all: T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

type Components = OpenApi['components']['schemas']

function article(place: Place, schemas: Components): Html {
  const { path, method, operation } = place
  const { operationId, summary, description, responses } = operation
  const isGood = ([status]: [string, OpenApiResponse]) => /^[12]/.test(status)
  const [answers, refusals] = partition(Object.entries(responses), isGood)
  return html`<article id="${operationId}">
    <h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
    <p>${summary}.</p>
    ${markdown(description, 3)} ${parametersTable(operation)} ${bodySection(operation, schemas)}
    ${answers.map(([status, response]) => answerSection(status, response, schemas))}
    ${refusals.length > 0 && method !== 'options' ? refusalsTable(refusals) : null}
    ${exampleSection(place)}
  </article> `
}

function parametersTable({ parameters = [] }: OpenApiOperation): Html | null {
  if (parameters.length === 0) return null
  const title = parameters.some((parameter) => parameter.in === 'path') ? 'Path' : 'Query'
  return html`<h4>${title}</h4>
    ${table(
      ['name', 'type', 'description'],
      parameters.map(({ name, required, schema, description }) => [
        nameCell(name, !required),
        typeOf(schema),
        inline(description),
      ]),
    )}`
}

function bodySection({ requestBody }: OpenApiOperation, schemas: Components): Html | null {
  if (!requestBody) return null
  const contents = Object.values(requestBody.content)
  return html`<h4>Body</h4>
    ${contents.map(({ schema }) => variants(schema, schemas))}`
}

function answerSection(status: string, { content }: OpenApiResponse, schemas: Components): Html {
  return html`<h4>Answer ${status}</h4>
    ${Object.entries(content ?? {}).map(
      ([type, { schema }]) =>
        html`<p><code>${type}</code></p>
          ${variants(schema, schemas)}`,
    )}${content ? null : html`<p>No body.</p>`}`
}

/** Renders each form of a body under its name. Shared schemas are listed separately. */
function variants(schema: JsonSchema, schemas: Components): Html[] {
  return variantsOf(schema, schemas).map(({ name, schema: variant }) => {
    const title = name === null ? null : html`<h5><a href="#${name}">${name}</a></h5>`
    return html`${title}${fieldsTable(variant)}`
  })
}

function refusalsTable(responses: [string, OpenApiResponse][]): Html {
  const rows = responses.flatMap(([status, { content }]) => {
    const { schema } = Object.values(content ?? {})[0] ?? {}
    return (schema?.anyOf ?? [schema ?? {}]).flatMap(({ $ref }) => {
      const name = $ref === undefined ? null : refName($ref)
      return name === null || name === 'Refusal' ? [] : [{ status, name }]
    })
  })
  if (rows.length === 0) return html``
  return html`<h4>Refusals</h4>
    <ul class="codes">
      ${rows.map(
        ({ status, name }) =>
          html`<li>
            ${status} <a href="#${name}"><code>${name.replace('Refusal_', '')}</code></a>
          </li>`,
      )}
    </ul>`
}

/** Renders an example of each call as a command, with its answer. */
function exampleSection({ path, method, operation }: Place): Html[] {
  const { parameters = [], requestBody, responses } = operation
  const bodies = Object.values(requestBody?.content ?? {})[0]?.examples ?? {}
  const answers = Object.values(responses['200']?.content ?? {})[0]?.examples ?? {}
  return Object.entries(answers).map(([name, { summary, value }]) => {
    const query = parameters.flatMap((parameter) => {
      const example = parameter.in === 'query' && parameter.examples[name]
      return example ? [`${parameter.name}=${encodeURIComponent(example.value)}`] : []
    })
    const place = parameters.reduce(
      (filled, field) => filled.replace(`{${field.name}}`, field.examples[name]?.value ?? ''),
      path,
    )
    const url = `${LOCAL}${place}${query.length > 0 ? `?${query.join('&')}` : ''}`
    const body = bodies[name]?.value
    const isBridge = operation.security.length > 0
    const command = [
      `curl ${method === 'post' ? '-X POST ' : ''}'${url}'`,
      ...(isBridge ? [`-H "authorization: Bearer $TOKEN"`] : []),
      ...(body === undefined
        ? []
        : [`-H 'content-type: application/json'`, `-d '${JSON.stringify(body)}'`]),
    ].join(' \\\n  ')
    return html`<details>
      <summary>Example: ${summary}</summary>
      <pre tabindex="0"><code>${command}</code></pre>
      <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>
    </details> `
  })
}

function schemaSection([name, schema]: [string, JsonSchema]): Html {
  return html`<section id="${name}">
    <h3>${name}</h3>
    ${schema.description === undefined ? null : html`<p>${inline(schema.description)}</p>`}${fieldsTable(schema)}
  </section> `
}
