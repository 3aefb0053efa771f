import type { Child } from 'hono/jsx/dom'
import { capital } from '../../core/words.ts'
import { GAME_NAMES } from '../../games/games.ts'
import { Panel } from '../components/panel.tsx'
import { Computation } from '../verify/computation.tsx'
import { exampleOf } from './examples.ts'
import { Limits } from './limits.tsx'
import { AllReturns, ReturnsOf } from './returns.tsx'
import { useTerms } from './terms.ts'
import { FAIRNESS, rulesOf } from './texts.ts'

/** The games with a page of help, in the order of the navigation. */
const TOPICS = ['crash', ...GAME_NAMES, 'lootbox', 'boxes']

/** Help: #/help, #/help/<game>, #/help/fairness and #/help/returns. */
export default function Help({ rest: [topic = ''] }: { rest: string[] }) {
  return (
    <div class="help" key={topic}>
      <nav aria-label="Help">
        <ul>
          {['', ...TOPICS, 'fairness', 'returns'].map((each) => (
            <li key={each}>
              <a
                href={each === '' ? '#/help' : `#/help/${each}`}
                aria-current={each === topic ? 'page' : undefined}
              >
                {each === '' ? 'Rules' : capital(each)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Topic topic={topic} />
    </div>
  )
}

function Topic({ topic }: { topic: string }) {
  if (topic === 'fairness') return <Fairness />
  if (topic === 'returns') return <AllReturns />
  if (TOPICS.includes(topic)) return <GameHelp game={topic} />
  return (
    <>
      <h1>Rules</h1>
      {TOPICS.map((game) => (
        <Panel key={game} title={capital(game)}>
          <Paragraphs texts={rulesOf(game).slice(0, 2)} />
          <p>
            <a href={`#/help/${game}`}>All rules, the exact return and an example of {game}</a>
          </p>
        </Panel>
      ))}
    </>
  )
}

function GameHelp({ game }: { game: string }) {
  const terms = useTerms(game)
  return (
    <>
      <h1>{capital(game)}</h1>
      <Panel title="Rules">
        <Paragraphs texts={rulesOf(game)} />
        <p>
          <a href={`#/${game}`}>Open {game}</a>
        </p>
      </Panel>
      <Panel title="What it returns">
        <ReturnsOf game={game} terms={terms} />
      </Panel>
      <Panel title="Limits in force">
        <Limits terms={terms} />
      </Panel>
      <Panel title="Verify a result by hand">
        <p>
          A made-up result with real numbers. Each line follows from those above it, with any tool
          that computes hashes.
        </p>
        <Computation steps={exampleOf(game)} />
        <p class="links">
          <a href="#/verify">Verify a result of yours</a>
          <a href="#/help/fairness">How results are fixed</a>
        </p>
      </Panel>
    </>
  )
}

function Fairness() {
  return (
    <>
      <h1>Fairness</h1>
      {FAIRNESS.map(([title, texts]) => (
        <Panel key={title} title={title}>
          <Paragraphs texts={texts} />
        </Panel>
      ))}
      <Panel title="Try it">
        <p>Each game has an example that you can recompute by hand.</p>
        <p class="links">
          {TOPICS.map((game) => (
            <a key={game} href={`#/help/${game}`}>
              {capital(game)}
            </a>
          ))}
        </p>
      </Panel>
    </>
  )
}

function Paragraphs({ texts }: { texts: readonly string[] }): Child {
  return (
    <>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </>
  )
}
