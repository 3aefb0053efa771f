import { useId } from 'hono/jsx/dom'
import { gamesPaidBy } from '../../games/games.ts'
import { Panel } from '../components/panel.tsx'
import { FUN_WALLET } from '../fun/fun.ts'
import { showNumber } from '../locale.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { isClientSeed, keepSeed, keptSeed, randomClientSeed } from './client-seed.ts'
import { desk } from './desk.ts'

/** The seeds that decide the next result: the house's, as a hash, and the player's. */
export function Fairness() {
  const { next, config } = useStore(desk)
  const isFun = useStore(session).player?.wallet === FUN_WALLET
  return (
    <Panel title="Provably fair">
      <p>
        {isFun ? 'Your browser' : 'The house'} fixes its seed before{' '}
        {next ? `play ${next.nonce}` : 'each play'} and can’t change it afterwards. The result
        reveals it.
        {isFun && ' With a wallet, the house fixes the seed, and you can check that it did.'}
      </p>
      <dl>
        <dt>Hash of {isFun ? 'your browser' : 'the house'}’s next seed (SHA-256)</dt>
        <dd>
          <code data-testid="next-seed-hash">{next ? next.seedHash : 'Sign in to see yours.'}</code>
        </dd>
        {config && (
          <>
            <dt>House edge of {gamesPaidBy('edge')}</dt>
            <dd>{showNumber(config.edgeBps / 100, 2, true)}%</dd>
          </>
        )}
      </dl>
      <ClientSeed freshSeed={next?.freshSeed ?? ''} isFun={isFun} />
    </Panel>
  )
}

const COST =
  'After your first play with it, the house knows this seed before it fixes its own. It could then ' +
  'choose one that suits it without leaving a trace. A fresh seed for every play rules that out.'

/** The player's seed for the next play: fresh and read-only, or the player's own to edit. */
function ClientSeed({ freshSeed, isFun }: { freshSeed: string; isFun: boolean }) {
  const id = useId()
  const mine = useStore(keptSeed)
  const isWrong = mine !== null && !isClientSeed(mine)
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
          readonly={mine === null}
          value={mine ?? freshSeed}
          aria-invalid={isWrong ? 'true' : 'false'}
          aria-describedby={`${id}-hint`}
          onInput={(event: Event) => keepSeed((event.target as HTMLInputElement).value)}
        />
        {mine !== null && (
          <button type="button" onClick={() => keepSeed(randomClientSeed())}>
            New
          </button>
        )}
      </div>
      <label class="keep">
        <input
          type="checkbox"
          checked={mine !== null}
          onChange={() => keepSeed(mine === null ? freshSeed || randomClientSeed() : null)}
        />
        <span>Keep mine for every play</span>
      </label>
      <p id={`${id}-hint`} class={isWrong ? 'hint wrong' : 'hint'}>
        {hintOf(mine, isWrong, isFun)}
      </p>
    </div>
  )
}

function hintOf(mine: string | null, isWrong: boolean, isFun: boolean): string {
  if (isWrong) return 'Use 1 to 64 letters (A to Z), digits or punctuation marks.'
  if (isFun) return 'Both seeds decide the result, as they do with a wallet.'
  if (mine !== null) return COST
  return (
    'Both seeds decide the result. Your browser draws this one for every play, once it has seen the hash ' +
    'above. The house can’t prepare for a seed it hasn’t seen.'
  )
}
