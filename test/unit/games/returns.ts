import { capital } from '../../../src/core/words.ts'
import { GAME_NAMES, gamesPaidBy, newestTables, specOf } from '../../../src/games/games.ts'

const EDGE_BPS = 100

/** reference/returns.md: the games' exact returns. */
export function returnsPage(): string {
  const terms = { edgeBps: EDGE_BPS, tables: newestTables() }
  const sections = GAME_NAMES.map((game) => {
    const { by, note, head, rows } = specOf(game).returnsTable(terms)
    const notes = note === undefined ? [] : [note]
    return [`## ${capital(game)}, ${by}`, ...notes, table(head, rows)].join('\n\n')
  })
  return `# What the games return

Of every unit staked, this much comes back on average: each outcome's exact probability times what it
pays, summed as fractions, with no sampling. ${capital(gamesPaidBy('edge'))} are shown with the default edge of 1%
(\`edgeBps\` in the configuration); the edge of ${gamesPaidBy('tables')} is in their tables, of which this is
version ${newestTables()} (\`tables\` in the configuration). This page is written
by \`npm run returns\`, and a test holds it against the rules.

${sections.join('\n\n')}
`
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n')
}
