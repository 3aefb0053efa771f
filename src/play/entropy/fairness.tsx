import { useId } from 'hono/jsx/dom'
import { Panel } from '../components/panel.tsx'
import { useStore } from '../store.ts'
import { clientSeed, isClientSeed, randomClientSeed, setClientSeed } from './client-seed.ts'
import { desk } from './desk.ts'

/** What the next result is fixed by: the house's seed, by its hash, and the player's own. */
export function Fairness() {
  const { next, config } = useStore(desk)
  return (
    <Panel title="Provably fair">
      <p>
        {next ? `Play ${next.nonce + 1} is fixed already` : 'Each play is fixed before it is made'}:
        the house cannot change its seed any more. You get to see it with the result.
      </p>
      <dl>
        <dt>Hash of the house's next seed (SHA-256)</dt>
        <dd>
          <code data-testid="next-seed-hash">{next ? next.seedHash : 'Sign in to see yours.'}</code>
        </dd>
        {config && (
          <>
            <dt>House edge of mines and limbo</dt>
            <dd>{(config.edgeBps / 100).toFixed(2)} %</dd>
          </>
        )}
      </dl>
      <ClientSeedField />
    </Panel>
  )
}

function ClientSeedField() {
  const id = useId()
  const text = useStore(clientSeed)
  const isWrong = !isClientSeed(text)
  return (
    <div class="field client-seed">
      <label for={id}>Your client seed</label>
      <div class="with-buttons">
        <input
          id={id}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxlength={64}
          value={text}
          aria-invalid={isWrong ? 'true' : 'false'}
          aria-describedby={`${id}-hint`}
          onInput={(event: Event) => setClientSeed((event.target as HTMLInputElement).value)}
        />
        <button type="button" onClick={() => setClientSeed(randomClientSeed())}>
          New
        </button>
      </div>
      <p id={`${id}-hint`} class={isWrong ? 'hint wrong' : 'hint'}>
        {isWrong
          ? 'Use 1 to 64 plain letters, digits or signs.'
          : 'Both seeds together make the result. Change yours whenever you like: one that the ' +
            'house has not seen before, it cannot have reckoned with.'}
      </p>
    </div>
  )
}
