import { useId } from 'hono/jsx/dom'
import { MIN_TARGET, type LimboMeta } from '../../../games/limbo/rule.ts'
import { MAX_MULTIPLIER, ONE, toHundredths, type Hundredths } from '../../../money/multiplier.ts'
import { MultiplierInput, readMultiplier } from '../../components/multiplier-input.tsx'
import { useEffect, useState } from '../../hooks.ts'
import { ambiguityHint, showHundredths, localDecimal, showCount, showNumber } from '../../locale.ts'
import { isStill } from '../../settings.ts'
import { useChoice, useShown } from '../desk.ts'
import { Game } from '../game.tsx'
import { FULL_MS, runUp } from './run-up.ts'
import './limbo.css'

const TARGET_ADVICE = `Enter a target from ${showNumber(MIN_TARGET / 100, 2)} to ${showCount(MAX_MULTIPLIER / 100)} with at most two decimals.`
const QUICK_TARGETS = ['1.5', '2', '10', '100'].map((target) => localDecimal(target))

/** Limbo: the result runs up and has to reach the target. */
export default function Limbo() {
  const [text, setText] = useChoice('2')
  const shown = useShown('limbo')
  const target = readMultiplier(text, MIN_TARGET, MAX_MULTIPLIER)
  return (
    <Game
      game="limbo"
      chosen={target === null ? adviceOn(text) : { game: 'limbo', params: { target } }}
      picture={
        <BigNumber meta={shown?.meta ?? null} nonce={shown?.nonce ?? null} target={target} />
      }
      revealMs={FULL_MS}
    >
      <TargetField text={text} isWrong={target === null} onText={setText} />
    </Game>
  )
}

function adviceOn(text: string): string {
  return ambiguityHint(text) || TARGET_ADVICE
}

interface NumberProps {
  meta: LimboMeta | null
  nonce: number | null
  target: Hundredths | null
}

function BigNumber({ meta, nonce, target }: NumberProps) {
  const result = meta ? toHundredths(meta.result) : null
  const reached = useRunUp(result, nonce)
  const isThere = meta !== null && reached === result
  const outcome = isThere ? (meta.result >= meta.target ? 'gain' : 'loss') : ''
  return (
    <div class="limbo-number" aria-hidden="true">
      <p class={`big ${outcome}`}>{showHundredths(reached)}</p>
      <p class="caption">{target !== null && `Target ${showHundredths(target)}`}</p>
    </div>
  )
}

/** Returns the hundredths to show during the run-up. Players who prefer reduced motion see the result at once. */
function useRunUp(result: Hundredths | null, nonce: number | null): Hundredths {
  const [reached, setReached] = useState<Hundredths>(ONE)
  useEffect(() => {
    if (result === null) return setReached(ONE)
    const startedAt = performance.now()
    const hasNoMotion = isStill()
    let frame = 0
    const step = () => {
      const now = hasNoMotion ? result : runUp(result, performance.now() - startedAt)
      setReached(now)
      if (now !== result) frame = requestAnimationFrame(step)
    }
    step()
    return () => cancelAnimationFrame(frame)
  }, [result, nonce])
  return reached
}

type FieldProps = Pick<Parameters<typeof MultiplierInput>[0], 'text' | 'isWrong' | 'onText'>

function TargetField({ text, isWrong, onText }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Target</label>
      <MultiplierInput {...{ id, text, isWrong, onText }} />
      <div class="quick">
        {QUICK_TARGETS.map((target) => (
          <button
            key={target}
            type="button"
            aria-label={`Target ${target}x`}
            onClick={() => onText(target)}
          >
            {target}x
          </button>
        ))}
      </div>
      <p id={`${id}-hint`} class={isWrong ? 'hint wrong' : 'visually-hidden'}>
        {adviceOn(text)}
      </p>
    </div>
  )
}
