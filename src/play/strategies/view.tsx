import { useId } from 'hono/jsx/dom'
import { TOKENS } from '../../money/token.ts'
import { Panel } from '../components/panel.tsx'
import { Select } from '../components/select.tsx'
import { useEffect } from '../hooks.ts'
import { showCount } from '../locale.ts'
import { useStore } from '../store.ts'
import { chooseStrategy, chosenStrategy } from './chosen.ts'
import { EXAMPLES } from './examples.ts'
import { OutcomeTable } from './outcome-table.tsx'
import {
  simulationStatus,
  startSimulation,
  stopSimulation,
  simulationForm,
  type SimulationForm,
} from './simulation.ts'
import { MAX_CODE } from './strategy.ts'
import { hasTarget, WAGERS, type WagerName } from './wagers.ts'

const OWN = 'My own'

/** Where players choose or write a strategy, and simulate it before automatic bets follow it. */
export default function Strategies() {
  useEffect(() => {
    const [first] = EXAMPLES
    if (chosenStrategy.value.text === '' && first) chooseStrategy(first)
    return stopSimulation
  }, [])
  return (
    <div class="strategies">
      <h1>Strategies</h1>
      <Code />
      <Simulate />
      <Result />
    </div>
  )
}

function Code() {
  const id = useId()
  const { name, text } = useStore(chosenStrategy)
  const example = EXAMPLES.find((each) => each.name === name)
  const names = [...EXAMPLES.map((each) => each.name), OWN]
  const choose = (wantedName: string) => {
    const found = EXAMPLES.find((each) => each.name === wantedName)
    chooseStrategy(found ? { name: found.name, text: found.text } : { name: OWN, text })
  }
  return (
    <Panel title="The strategy">
      <Select
        label="Strategy"
        options={Object.fromEntries(names.map((each) => [each, each]))}
        value={name}
        onChoose={choose}
      />
      {example && (
        <p>
          {example.truth} On average it loses the edge on everything it stakes, like all the others.
        </p>
      )}
      <div class="field">
        <label for={id}>Code</label>
        <textarea
          id={id}
          class="code"
          rows={9}
          spellcheck={false}
          autocomplete="off"
          maxlength={MAX_CODE}
          value={text}
          onInput={(event: Event) =>
            chooseStrategy({ name: OWN, text: (event.target as HTMLTextAreaElement).value })
          }
        />
      </div>
      <details>
        <summary>How to write one</summary>
        <p>
          A function of its state and the last result, in JavaScript. It returns the next stake in
          smallest units, as a bigint, with the state it wants to get next time; or{' '}
          <code>{'{ stop: true }'}</code>.
        </p>
        <p>
          <code>event</code> has <code>kind</code> (start, won, lost or returned), <code>base</code>{' '}
          (your first stake), <code>stake</code>, <code>payout</code>, <code>net</code> and{' '}
          <code>bets</code>.
        </p>
        <p>
          The code runs in a worker of its own without network, storage, clock or chance. It never
          sees your wallet. Your limits beside the stake hold whatever it returns.
        </p>
      </details>
    </Panel>
  )
}

function Simulate() {
  const { wager, token } = useStore(simulationForm)
  const { kind } = useStore(simulationStatus)
  const isRunning = kind === 'running'
  const submit = (event: Event) => {
    event.preventDefault()
    if (isRunning) stopSimulation()
    else void startSimulation()
  }
  return (
    <form class="panel simulate" aria-label="Simulate it" onSubmit={submit} noValidate>
      <h2>Simulate it</h2>
      <div class="simulate-fields">
        <Select
          label="Game"
          options={WAGERS}
          value={wager}
          onChoose={(each) => simulationForm.patch({ wager: each as WagerName })}
        />
        {hasTarget(wager) && <Text label="Target" name="target" note="x" />}
        <Select
          label="Token"
          options={Object.fromEntries(TOKENS.map((each) => [each, each]))}
          value={token}
          onChoose={(each) => simulationForm.patch({ token: each as SimulationForm['token'] })}
        />
        <Text label="First stake" name="base" note={token} />
        <Text label="Largest stake" name="maxStake" note={token} />
        <Text label="Start with" name="bankroll" note={token} />
        <Text label="Bets per run" name="bets" />
        <Text label="Runs" name="runs" />
      </div>
      <button type="submit" class="primary">
        {isRunning ? 'Stop' : 'Simulate'}
      </button>
    </form>
  )
}

type TextName = Exclude<keyof SimulationForm, 'wager' | 'token'>

function Text({ label, name, note }: { label: string; name: TextName; note?: string }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label} {note !== undefined && <span class="optional">{note}</span>}
      </label>
      <input
        id={id}
        inputmode="decimal"
        autocomplete="off"
        value={useStore(simulationForm)[name]}
        onInput={(event: Event) =>
          simulationForm.patch({ [name]: (event.target as HTMLInputElement).value })
        }
      />
    </div>
  )
}

function Result() {
  const state = useStore(simulationStatus)
  return (
    <Panel title="Results">
      <div role="status">
        {state.kind === 'nothing' && <p class="empty">Nothing simulated yet.</p>}
        {state.kind === 'running' && (
          <p>
            Run {showCount(state.runs)} of {showCount(state.of)} …
          </p>
        )}
        {state.kind === 'problem' && <p class="hint wrong">{state.message}</p>}
        {state.kind === 'done' && (
          <p>
            {state.name}: {showCount(state.outcome.runs)} runs over random seeds, by the rules that
            pay here. <strong>No strategy changes the expected result:</strong> it only decides
            whether you lose often and little, or rarely and much.
          </p>
        )}
      </div>
      {state.kind === 'done' && <OutcomeTable outcome={state.outcome} token={state.token} />}
    </Panel>
  )
}
