import { LOG_EVENTS } from '../log-events.ts'

const HEAD = `# Events of the service log

<!-- npm run reference writes this page from src/log-events.ts. -->

Each line of the log is a JSON object: \`level\`, \`event\`, the event's fields below and, for a fault, its \`message\`.
\`object\` is the class and the name of the object that wrote the line; a line without one comes from the router or the cron
trigger. No line has a signature, a seed, a key or the URL of a node. Refusals of players' calls are not logged. The runbooks are in [runbooks/](runbooks).
`

/** Returns the page of all log events. */
export function eventsPage(): string {
  const rows = Object.entries(LOG_EVENTS).map(
    ([name, { means, todo, fields }]) =>
      `### \`${name}\`\n\n${means}${todo === null ? '' : `\n\n${todo}`}${named(fields)}\n`,
  )
  const of = (level: string) =>
    rows.filter((_, at) => Object.values(LOG_EVENTS)[at]?.level === level).join('\n')
  return `${HEAD}\n## Faults\n\n${of('error')}\n## What only informs\n\n${of('info')}`
}

function named(fields: readonly string[]): string {
  const names = fields.map((field) =>
    field.endsWith('?') ? `\`${field.slice(0, -1)}\` (in some lines)` : `\`${field}\``,
  )
  return names.length === 0 ? '' : `\n\nFields: ${names.join(', ')}.`
}
