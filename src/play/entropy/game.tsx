import { useRef, type Child } from 'hono/jsx/dom'
import { Money } from '../components/money.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { BetForm, type Chosen } from './bet-form.tsx'
import { desk, sitDown } from './desk.ts'
import { Fairness } from './fairness.tsx'
import { isGain, Results } from './results.tsx'
import { sayMeta, showMultiplier } from './words.ts'
import { useEffect } from '../hooks.ts'

interface Props {
  title: string
  /** How it is won, in a sentence. */
  rule: string
  chosen: Chosen
  picture: Child
  /** What there is to choose besides the stake. */
  children?: Child
}

/** A game: its picture, the bet, and what makes it checkable. */
export function Game({ title, rule, chosen, picture, children }: Props) {
  const wallet = useStore(session).credentials?.wallet
  const frame = useRef<HTMLElement>(null)
  const nonce = useStore(desk).shown?.nonce
  useEffect(() => void sitDown(), [wallet])
  useEffect(() => {
    if (nonce !== undefined) frame.current?.scrollIntoView({ block: 'nearest' })
  }, [nonce])
  return (
    <div class="game">
      <h1 class="visually-hidden">{title}</h1>
      <section ref={frame} class={`panel picture ${title.toLowerCase()}`} aria-label={title}>
        <p class="rule">{rule}</p>
        <div class="scene">{picture}</div>
        <Outcome />
      </section>
      <BetForm chosen={chosen}>{children}</BetForm>
      <Results />
      <Fairness />
    </div>
  )
}

/** How the play in the picture went. Its style lets the picture tell first. */
function Outcome() {
  const { shown } = useStore(desk)
  if (!shown) return <p class="outcome" />
  const { nonce, win, payout, amount, token, multiplier, meta } = shown
  return (
    <p key={nonce} class={`outcome told ${isGain(shown) ? 'gain' : 'loss'}`}>
      <strong>
        {win ? `${showMultiplier(multiplier)} pays ` : 'Lost '}
        <Money amountWei={win ? payout : amount} token={token} />
      </strong>
      <span>{sayMeta(meta)}</span>
    </p>
  )
}
