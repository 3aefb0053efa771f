import { LOG_EVENTS } from '../log-events.ts'

const HEAD = `# What the log says

<!-- npm run reference writes this page from src/log-events.ts. -->

Each line of the log is a JSON object: \`level\`, \`event\`, the ids of what it is about and, for a fault, its \`message\`.
\`object\` is the class and the name of the object that it is about. No line has a signature, a seed, a key or the URL of
a node. Refusals of players' calls are not logged. The runbooks are in [runbooks/](runbooks).
`

/** Returns the page of all log events. */
export function eventsPage(): string {
  const rows = Object.entries(LOG_EVENTS).map(
    ([name, { means, todo }]) =>
      `### \`${name}\`\n\n${means}${todo === null ? '' : `\n\n${todo}`}\n`,
  )
  const of = (level: string) =>
    rows.filter((_, at) => Object.values(LOG_EVENTS)[at]?.level === level).join('\n')
  return `${HEAD}\n## Faults\n\n${of('error')}\n## What only informs\n\n${of('info')}`
}
