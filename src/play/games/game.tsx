import { useRef, type Child } from 'hono/jsx/dom'
import { capital } from '../../core/words.ts'
import { specOf, type GameName } from '../../games/games.ts'
import { isGain } from '../../money/multiplier.ts'
import { HelpLink } from '../components/average.tsx'
import { Closing } from '../components/closing.tsx'
import { Money } from '../components/money.tsx'
import { useEffect } from '../hooks.ts'
import { showMultiplier } from '../locale.ts'
import { session } from '../session.ts'
import { isStill, settings } from '../settings.ts'
import { useStore } from '../store.ts'
import { BetForm, type SelectionOrReason, type Turns } from './bet-form.tsx'
import { desk, sitDown, tell } from './desk.ts'
import { Fairness } from './fairness.tsx'
import { Results } from './results.tsx'
import { sayResult } from './words.ts'

interface Props {
  game: GameName
  chosen: SelectionOrReason
  /** For a game of several steps; without it, one press plays. */
  turns?: Turns | undefined
  picture: Child
  /** How long the animation takes, in milliseconds. Without it, the picture reports its end. */
  revealMs?: number
  /** The game's choices besides the stake. */
  children?: Child
}

/** A game: its picture, the bet form and its fairness panel. */
export function Game({ game, chosen, turns, picture, revealMs, children }: Props) {
  const wallet = useStore(session).player?.wallet
  const frame = useRef<HTMLElement>(null)
  const { shown, config, game: openGame } = useStore(desk)
  const nonce = shown?.nonce
  const isOpen = game === 'mines' && openGame !== null
  const { instant } = useStore(settings)
  useEffect(() => void sitDown(), [wallet])
  useEffect(() => () => tell(), [])
  useEffect(() => {
    if (nonce === undefined) return
    frame.current?.scrollIntoView({ block: 'nearest' })
    if (revealMs === undefined) return
    const telling = setTimeout(() => tell(nonce), isStill() ? 0 : revealMs)
    return () => clearTimeout(telling)
  }, [nonce])
  const title = capital(game)
  return (
    <div class={instant ? 'game still' : 'game'}>
      <h1 class="visually-hidden">{title}</h1>
      <section ref={frame} class={`panel picture ${game}`} aria-label={title}>
        <Closing mode={config?.modes[game]} ending={isOpen ? 'Closing after this game.' : null} />
        <p class="rule">
          {specOf(game).rule} <HelpLink game={game} />
        </p>
        <div class="scene">{picture}</div>
        <Outcome />
      </section>
      <BetForm game={game} chosen={chosen} turns={turns}>
        {children}
      </BetForm>
      <Results />
      <Fairness />
    </div>
  )
}

/** The last play's result, once the picture has shown it. */
function Outcome() {
  const { told } = useStore(desk)
  if (!told) return <p class="outcome" />
  const { nonce, win, payout, amount, token, multiplier } = told
  return (
    <p key={nonce} class={`outcome told ${isGain(told) ? 'gain' : 'loss'}`}>
      <strong>
        {win ? `${showMultiplier(multiplier)} pays ` : 'Lost '}
        <Money amountWei={win ? payout : amount} token={token} />
      </strong>
      <span>{sayResult(told)}</span>
    </p>
  )
}
