import { useId } from 'hono/jsx/dom'
import type { Unit } from '../../money/token.ts'
import { exactAmount } from '../amounts.ts'
import { Money } from '../components/money.tsx'
import { Select } from '../components/select.tsx'
import { Choice } from '../games/choice.tsx'
import { useStore } from '../store.ts'
import { chosenStrategy } from '../strategies/chosen.ts'
import type { AnyAutobet } from './autobet.ts'
import type { Change, Run } from './rules.ts'
import { typed, type Amounts } from './typed.ts'
import { sayEnd } from './words.ts'

const MODES = ['by hand', 'automatically'] as const

const CHANGES: Record<string, Change['kind']> = {
  'First stake': 'reset',
  'Raise it': 'raise',
  'Keep it': 'keep',
}

const STAKES = { 'By outcome': 'changes', 'By strategy': 'strategy' }

const ON_MISSED = { 'Bet in the next': 'wait', Stop: 'stop' }

const PAUSES = { None: '0', '1 second': '1000', '3 seconds': '3000' }

interface Props {
  autobet: AnyAutobet
  token: Unit
  isAuto: boolean
  isRunning: boolean
  /** Whether bets are placed in rounds, which can be missed. */
  isInRounds?: boolean
}

/** The plan of automatic bets and how far they are. Shows nothing where they are not allowed. */
export function AutobetFields({ autobet, token, isAuto, isRunning, isInRounds = false }: Props) {
  const fields = useStore(typed)
  const run = useStore(autobet.run)
  if (!autobet.isAllowed() && !isRunning) return null
  return (
    <>
      <Choice
        label="Bet"
        options={MODES}
        value={isAuto ? 'automatically' : 'by hand'}
        isLocked={isRunning}
        onChoose={(mode) => typed.patch({ isAuto: mode === 'automatically' })}
      />
      {isAuto && !isRunning && (
        <div class="autobet">
          <Text label="Bets" name="count" note="optional" />
          <Select
            label="Stakes"
            options={STAKES}
            value={fields.isByStrategy ? 'strategy' : 'changes'}
            onChoose={(value) => typed.patch({ isByStrategy: value === 'strategy' })}
          />
          {fields.isByStrategy ? (
            <ByStrategy token={token} />
          ) : (
            <>
              <ChangeField label="After a win" kind="onWin" percent="winPercent" />
              <ChangeField label="After a loss" kind="onLoss" percent="lossPercent" />
            </>
          )}
          <AmountText label="Stop at profit" name="stopProfit" token={token} />
          <AmountText label="Stop at loss" name="stopLoss" token={token} />
          {isInRounds ? (
            <Select
              label="If a round is missed or void"
              options={ON_MISSED}
              value={fields.onMissed}
              onChoose={(value) => typed.patch({ onMissed: value === 'stop' ? 'stop' : 'wait' })}
            />
          ) : (
            <Select
              label="Pause"
              options={PAUSES}
              value={String(fields.pauseMs)}
              onChoose={(value) => typed.patch({ pauseMs: Number(value) })}
            />
          )}
        </div>
      )}
      {isAuto && run && <Progress run={run} />}
      {isRunning && (
        <button type="button" onClick={() => autobet.stop()}>
          Stop autobet
        </button>
      )}
    </>
  )
}

/** The strategy that was chosen, and the limit on each of its stakes. */
function ByStrategy({ token }: { token: Unit }) {
  const { name } = useStore(chosenStrategy)
  return (
    <>
      <p class="strategy">
        <span>{name === '' ? 'None chosen' : name}</span>
        <a href="#/strategies">Choose, write, simulate</a>
      </p>
      <AmountText label="Largest stake" name="maxStake" token={token} />
    </>
  )
}

function Progress({ run }: { run: Run<unknown, unknown> }) {
  const { plan, settled, netWei, amountWei, end } = run
  const { token, count } = plan
  const isLoss = netWei.startsWith('-')
  return (
    <dl class="odds autobet-run" data-testid="autobet">
      <div>
        <dt>Bets</dt>
        <dd>{count === null ? settled : `${settled} of ${count}`}</dd>
      </div>
      <div>
        <dt>{isLoss ? 'Loss' : 'Profit'}</dt>
        <dd>
          <Money amountWei={isLoss ? netWei.slice(1) : netWei} token={token} />
        </dd>
      </div>
      <div>
        <dt>Next stake</dt>
        <dd>
          {exactAmount(amountWei, token)} {token}
        </dd>
      </div>
      {end && (
        <div class="returns">
          <dt>Ended</dt>
          <dd class="ended">{sayEnd(end)}</dd>
        </div>
      )}
    </dl>
  )
}

type TextName = 'count' | 'winPercent' | 'lossPercent'

interface TextProps {
  label: string
  /** Tells a label from an equal one, for players who don't see where it stands. */
  of?: string
  name: TextName
  note?: string
}

function Text({ name, ...shown }: TextProps) {
  const value = useStore(typed)[name]
  return <Input {...shown} value={value} onText={(text) => typed.patch({ [name]: text })} />
}

interface AmountProps {
  label: string
  name: keyof Amounts
  token: Unit
}

function AmountText({ label, name, token }: AmountProps) {
  const { amounts } = useStore(typed)
  const own = amounts[token]
  return (
    <Input
      label={label}
      note={token}
      value={own[name]}
      onText={(text) => typed.patch({ amounts: { ...amounts, [token]: { ...own, [name]: text } } })}
    />
  )
}

interface InputProps extends Omit<TextProps, 'name'> {
  value: string
  onText: (text: string) => void
}

function Input({ label, of, note, value, onText }: InputProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label} {of !== undefined && <span class="visually-hidden">{of}</span>}
        {note !== undefined && <span class="optional">{note}</span>}
      </label>
      <input
        id={id}
        inputmode="decimal"
        autocomplete="off"
        value={value}
        onInput={(event: Event) => onText((event.target as HTMLInputElement).value)}
      />
    </div>
  )
}

interface ChangeProps {
  label: string
  kind: 'onWin' | 'onLoss'
  percent: 'winPercent' | 'lossPercent'
}

function ChangeField({ label, kind, percent }: ChangeProps) {
  const value = useStore(typed)[kind]
  return (
    <>
      <Select
        label={label}
        options={CHANGES}
        value={value}
        onChoose={(change) => typed.patch({ [kind]: change })}
      />
      {value === 'raise' && <Text label="Raise by %" of={label.toLowerCase()} name={percent} />}
    </>
  )
}
