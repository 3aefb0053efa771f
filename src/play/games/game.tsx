import { useRef, type Child } from 'hono/jsx/dom'
import { Money } from '../components/money.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { BetForm, type Chosen } from './bet-form.tsx'
import { desk, sitDown, tell } from './desk.ts'
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
  /** How long the picture moves towards its result, in milliseconds; without it the picture itself tells. */
  revealMs?: number
  /** What there is to choose besides the stake. */
  children?: Child
}

/** A game: its picture, the bet, and what makes it checkable. */
export function Game({ title, rule, chosen, picture, revealMs, children }: Props) {
  const wallet = useStore(session).credentials?.wallet
  const frame = useRef<HTMLElement>(null)
  const nonce = useStore(desk).shown?.nonce
  useEffect(() => void sitDown(), [wallet])
  useEffect(() => () => tell(), [])
  useEffect(() => {
    if (nonce === undefined) return
    frame.current?.scrollIntoView({ block: 'nearest' })
    if (revealMs === undefined) return
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    const telling = setTimeout(() => tell(nonce), isStill ? 0 : revealMs)
    return () => clearTimeout(telling)
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

/** How the last play went, once the picture has shown it. */
function Outcome() {
  const { told } = useStore(desk)
  if (!told) return <p class="outcome" />
  const { nonce, win, payout, amount, token, multiplier, meta } = told
  return (
    <p key={nonce} class={`outcome told ${isGain(told) ? 'gain' : 'loss'}`}>
      <strong>
        {win ? `${showMultiplier(multiplier)} pays ` : 'Lost '}
        <Money amountWei={win ? payout : amount} token={token} />
      </strong>
      <span>{sayMeta(meta)}</span>
    </p>
  )
}
