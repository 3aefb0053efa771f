import { useId } from 'hono/jsx/dom'
import type { Token } from '../../money/token.ts'
import { exactAmount } from '../amounts.ts'
import { Money } from '../components/money.tsx'
import { Select } from '../components/select.tsx'
import { Choice } from '../games/choice.tsx'
import { useStore } from '../store.ts'
import type { AnyAutobet } from './autobet.ts'
import type { Change, Run } from './rules.ts'
import { typed } from './typed.ts'
import { sayEnd } from './words.ts'

const MODES = ['by hand', 'automatically'] as const

const CHANGES: Record<string, Change['kind']> = {
  'First stake': 'reset',
  'Raise it': 'raise',
  'Keep it': 'keep',
}

const PAUSES = { None: '0', '1 second': '1000', '3 seconds': '3000' }

/** The main button while bets are placed automatically. */
export function StopButton() {
  return (
    <button type="submit" class="act queued">
      <strong>Stop autobet</strong>
    </button>
  )
}

interface Props {
  autobet: AnyAutobet
  token: Token
  isAuto: boolean
  isRunning: boolean
}

/** The plan of automatic bets and how far they are. Shows nothing where they are not allowed. */
export function AutobetFields({ autobet, token, isAuto, isRunning }: Props) {
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
          <Text label="Bets" name="count" note="or none" />
          <ChangeField label="After a win" kind="onWin" percent="winPercent" />
          <ChangeField label="After a loss" kind="onLoss" percent="lossPercent" />
          <Text label="Stop at profit" name="stopProfit" note={token} />
          <Text label="Stop at loss" name="stopLoss" note={token} />
          <Select
            label="Pause"
            options={PAUSES}
            value={String(fields.pauseMs)}
            onChoose={(value) => typed.patch({ pauseMs: Number(value) })}
          />
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

type TextName = 'count' | 'winPercent' | 'lossPercent' | 'stopProfit' | 'stopLoss'

interface TextProps {
  label: string
  /** Tells a label from an equal one, for players who don't see where it stands. */
  of?: string
  name: TextName
  note?: string
}

function Text({ label, of, name, note }: TextProps) {
  const id = useId()
  const value = useStore(typed)[name]
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
        onInput={(event: Event) =>
          typed.patch({ [name]: (event.target as HTMLInputElement).value })
        }
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
