import { useId, useMemo } from 'hono/jsx/dom'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../../crash/bet.ts'
import { FUN, type Token, type Unit } from '../../money/token.ts'
import { WaysToPlay } from '../account.tsx'
import { wrong } from '../api.ts'
import { AutobetFields } from '../autobet/fields.tsx'
import { startAutobet, useAutobet } from '../autobet/use-autobet.ts'
import { AmountField } from '../components/amount-field.tsx'
import { AverageRows, HelpLink, lessEdge } from '../components/average.tsx'
import { MultiplierInput } from '../components/multiplier-input.tsx'
import { PlayOptions } from '../components/play-options.tsx'
import { Refusal, useRefusalOfChips } from '../components/refusal.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { boundsIn, FUN_WALLET } from '../fun/fun.ts'
import { useEffect } from '../hooks.ts'
import { playOncePerPress, pressMain, useHotkeys, type Hotkey } from '../hotkeys.ts'
import { ambiguityHint, showHundredths, localDecimal } from '../locale.ts'
import { session } from '../session.ts'
import { Store, useStore } from '../store.ts'
import { act, ActButton, type Face } from './act-button.tsx'
import { autobet } from './autobet.ts'
import { readDraft, readTarget } from './draft.ts'
import { canCashOut, cashOut, hand, mainPress } from './hand.ts'
import { live } from './live.ts'
import { termsOf } from './table.ts'

/** The bet as typed. It stays while the player looks at another view. */
const typed = new Store<{ token: Token; amounts: Record<Unit, string>; target: string }>({
  token: 'ETH',
  amounts: { ETH: localDecimal('0.01'), USDG: '10', FUN: '10' },
  target: '',
})

const CASH_OUT_KEYS = [' ', 'c'].map((key): Hotkey => ({
  key,
  does: 'Cash out',
  stakesNothing: true,
  isReady: canCashOut,
  press: () => void cashOut(),
}))

/** The stake, the auto cash-out and the main button. */
export function BetForm() {
  const { token: typedToken, amounts, target } = useStore(typed)
  const { player, me } = useStore(session)
  const token = player?.wallet === FUN_WALLET ? FUN : typedToken
  const { problem } = useStore(hand)
  const { isAuto, isRunning } = useAutobet(autobet, player?.wallet)
  const press = mainPress({ isAuto, isRunning })
  const { table } = useStore(live)
  const amountText = amounts[token]
  const draft = useMemo(() => readDraft(token, amountText, target), [token, amountText, target])
  useEffect(() => hand.patch({ problem: null }), [draft])
  useRefusalOfChips(hand, me?.chips[token])
  useHotkeys([
    ...CASH_OUT_KEYS,
    { key: 'b', does: 'Bet, or cancel the next bet', press: pressMain },
  ])
  const submit = (event: Event) => {
    event.preventDefault()
    // Moving the focus lets a key cash out, and closes a phone's keyboard.
    const form = event.currentTarget as HTMLFormElement
    form.querySelector<HTMLElement>('[type=submit]')?.focus()
    if (press === 'stop') autobet.stop()
    else if (press === 'start') void start()
    else act(draft)
  }
  const start = async () => {
    const problemOfPlan =
      typeof draft === 'string'
        ? `${draft} to bet.`
        : await startAutobet(
            autobet,
            { autoCashout: draft.autoCashout, terms: table ? termsOf(table) : '' },
            draft,
          )
    if (problemOfPlan !== null) hand.patch({ problem: wrong(problemOfPlan) })
  }
  const autoFace = (): Face | null => {
    if (press === 'act') return null
    if (press === 'stop') return { kind: 'queued', label: 'Stop autobet', note: '' }
    const isByHand = typeof draft !== 'string' && draft.autoCashout === null
    const note = isByHand ? 'Cash out manually' : 'From the next round on'
    return { kind: 'bet', label: 'Start autobet', note: typeof draft === 'string' ? draft : note }
  }
  return (
    <form
      class="panel bet-form"
      aria-label="Your bet"
      onSubmit={submit}
      onKeyDown={playOncePerPress}
      noValidate
    >
      <fieldset class="stake" aria-label="Stake" disabled={isRunning}>
        <TokenChoice token={token} onChoose={(each) => typed.patch({ token: each })} />
        <AmountField
          token={token}
          text={amountText}
          bounds={table && boundsIn(table.config.bounds, token)}
          chips={me?.chips[token]}
          onText={(text) => typed.patch({ amounts: { ...amounts, [token]: text } })}
        />
        <TargetField text={target} onText={(text) => typed.patch({ target: text })} />
      </fieldset>
      <AutobetFields {...{ autobet, token, isAuto, isRunning }} isInRounds />
      <dl class="odds">
        <AverageRows share={table && lessEdge(table.edgeBps)} />
      </dl>
      <div class="reach">
        {player ? (
          <ActButton draft={draft} face={autoFace()} />
        ) : (
          <WaysToPlay terms={table?.config.terms} />
        )}
        <Refusal problem={problem} token={token} />
      </div>
      <PlayOptions />
      <HelpLink game="crash" />
    </form>
  )
}

function TargetField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const id = useId()
  const isWrong = text !== '' && readTarget(text) === null
  return (
    <div class="field">
      <label for={id}>
        Auto cash-out <span class="optional">optional</span>
      </label>
      <MultiplierInput {...{ id, text, isWrong, onText }} placeholder={localDecimal('2.00')} />
      <p id={`${id}-hint`} class={isWrong ? 'hint wrong' : 'hint'}>
        {isWrong &&
          (ambiguityHint(text) ||
            `${showHundredths(MIN_AUTO_CASHOUT)} to ${showHundredths(MAX_AUTO_CASHOUT)}, at most two decimals`)}
      </p>
    </div>
  )
}
