import { useId } from 'hono/jsx/dom'
import { ACTS } from '../../../operator/act.ts'
import { Panel } from '../../components/panel.tsx'
import { useState } from '../../hooks.ts'
import type { ViewProps } from '../views.ts'
import { Player } from './player.tsx'

/** A player, by their wallet: `#/players/0x…`. */
export default function PlayersView(props: ViewProps) {
  const [wallet] = props.rest
  return (
    <div class="column">
      <Find wallet={wallet ?? ''} />
      {wallet !== undefined && <Player key={wallet} wallet={wallet} {...props} />}
    </div>
  )
}

function Find({ wallet }: { wallet: string }) {
  const id = useId()
  const [typed, setTyped] = useState(wallet)
  const [isWrong, setIsWrong] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    const isWallet = ACTS.freeze.test(typed.trim())
    setIsWrong(!isWallet)
    if (isWallet) location.hash = `#/players/${typed.trim()}`
  }
  return (
    <Panel title="Find a player">
      <form class="order" onSubmit={submit}>
        <div class="field">
          <label for={id}>Wallet</label>
          <input
            id={id}
            value={typed}
            autocomplete="off"
            spellcheck={false}
            placeholder="0x…"
            aria-invalid={isWrong ? 'true' : undefined}
            aria-describedby={`${id}-hint`}
            onInput={(event: Event) => setTyped((event.target as HTMLInputElement).value)}
          />
          <p class={isWrong ? 'hint wrong' : 'hint'} id={`${id}-hint`}>
            {isWrong ? 'Enter 0x and 40 hex digits.' : ''}
          </p>
        </div>
        <button type="submit">Show</button>
      </form>
    </Panel>
  )
}
