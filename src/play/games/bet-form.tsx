import { type Child } from 'hono/jsx/dom'
import type { PayTerms } from '../../games/game.ts'
import {
  isPaidByTables,
  newestTables,
  specOf,
  type GameName,
  type Selection,
} from '../../games/games.ts'
import { bestMultiplier, largestStake } from '../../games/play.ts'
import { scaleDown, showDown, type Rational } from '../../money/rational.ts'
import { FUN, type Token, type Unit } from '../../money/token.ts'
import { WaysToPlay } from '../account.tsx'
import { exactAmount, readAmount, shortAmount } from '../amounts.ts'
import { AutobetFields } from '../autobet/fields.tsx'
import { startAutobet, useAutobet } from '../autobet/use-autobet.ts'
import { AmountField, type Bounds } from '../components/amount-field.tsx'
import { AverageRows } from '../components/average.tsx'
import { Money } from '../components/money.tsx'
import { PlayOptions } from '../components/play-options.tsx'
import { Refusal, useRefusalOfChips } from '../components/refusal.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { boundsIn, FUN_WALLET, maxPayoutIn } from '../fun/fun.ts'
import { useEffect } from '../hooks.ts'
import { playOncePerPress, pressMain, useHotkeys } from '../hotkeys.ts'
import { showMultiplier, localDecimal } from '../locale.ts'
import { session } from '../session.ts'
import { Store, useStore } from '../store.ts'
import { autobet, type AutoChoice } from './autobet.ts'
import { desk, play, refuse, type EntropyConfig } from './desk.ts'
import { showChance } from './words.ts'

/** The player's choice, or a text that names the missing part. */
export type SelectionOrReason = Selection | string

/** The stake as typed, by token. It stays when the player switches games. */
const stake = new Store<{ token: Token; amounts: Record<Unit, string> }>({
  token: 'ETH',
  amounts: { ETH: localDecimal('0.001'), USDG: '1', FUN: '10' },
})

/** The stake of a play, or of one in progress. */
export interface Stake {
  token: Unit
  amountWei: bigint
}

/** A game of several steps: its button and its odds. */
export interface Turns {
  /** The button's label before the stake that it takes. */
  verb: string
  begin: (stake: Stake) => void
  odds: Child
  /** The choice of automatic bets, or a text that names the missing part. */
  auto: AutoChoice | string
  /** The game in progress, whose stake can't change. */
  running: { stake: Stake; label: string; note: string; isReady: boolean; act: () => void } | null
}

interface Props {
  game: GameName
  chosen: SelectionOrReason
  turns?: Turns | undefined
  children?: Child
}

/** The stake, the possible win and the bet button. */
export function BetForm({ game, chosen, turns, children }: Props) {
  const { token: typedToken, amounts } = useStore(stake)
  const { config, problem } = useStore(desk)
  const { player, me } = useStore(session)
  const running = turns?.running
  const auto = useAutobet(autobet, player?.wallet)
  const { isRunning } = auto
  const isAuto = isRunning || (auto.isAuto && !running)
  const autoChosen = turns?.auto ?? chosen
  const chosenToken = player?.wallet === FUN_WALLET ? FUN : typedToken
  const token = running?.stake.token ?? chosenToken
  const text = running ? exactAmount(running.stake.amountWei, token) : amounts[token]
  const amountWei = readAmount(text, token)
  const bounds = config && boundsOf(config, token, turns ? null : chosen)
  useEffect(() => desk.patch({ problem: null }), [chosenToken, amounts[chosenToken]])
  useRefusalOfChips(desk, me?.chips[token])
  useHotkeys([{ key: ' ', does: turns ? 'Start, or cash out' : 'Play', press: pressMain }])
  const begin = async (choice: AutoChoice, staked: Stake) => {
    const problemOfPlan = await startAutobet(autobet, choice, staked)
    if (problemOfPlan !== null) refuse(problemOfPlan)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (isRunning) autobet.stop()
    else if (running) running.act()
    else if (isAuto && typeof autoChosen === 'string') refuse(autoChosen)
    else if (!turns && typeof chosen === 'string') refuse(chosen)
    else if (amountWei === null) refuse('Enter an amount to bet.')
    else if (isAuto && typeof autoChosen !== 'string') void begin(autoChosen, { token, amountWei })
    else if (turns) turns.begin({ token, amountWei })
    else if (typeof chosen !== 'string') void play({ selection: chosen, token, amountWei })
  }
  return (
    <form
      class="panel bet-form"
      aria-label="Your bet"
      onSubmit={submit}
      onKeyDown={playOncePerPress}
      noValidate
    >
      <fieldset class="stake" aria-label="Stake" disabled={isRunning || Boolean(running)}>
        <TokenChoice token={token} onChoose={(each) => stake.patch({ token: each })} />
        <AmountField
          token={token}
          text={text}
          bounds={bounds}
          chips={me?.chips[token]}
          onText={(typed) => stake.patch({ amounts: { ...amounts, [token]: typed } })}
        />
      </fieldset>
      {children}
      {(!running || isRunning) && <AutobetFields {...{ autobet, token, isAuto, isRunning }} />}
      {turns?.odds ?? (
        <Odds
          game={game}
          chosen={chosen}
          amountWei={amountWei}
          token={token}
          edgeBps={config?.edgeBps ?? null}
        />
      )}
      <div class="reach">
        {player ? (
          <PlayButton {...{ chosen, turns, amountWei, token, isAuto, isRunning }} />
        ) : (
          <WaysToPlay terms={config?.terms} />
        )}
        <Refusal problem={problem} token={token} />
      </div>
      <PlayOptions hasInstant />
    </form>
  )
}

/** Returns the bounds of a stake, with those that follow from the choice's highest payout. */
function boundsOf(config: EntropyConfig, token: Unit, chosen: SelectionOrReason | null): Bounds {
  const { edgeBps, maxPayout } = config
  const bounds = boundsIn(config.bounds, token)
  if (chosen === null || typeof chosen === 'string') return bounds
  const terms = { edgeBps, tables: newestTables() }
  const most = largestStake(chosen, maxPayoutIn(maxPayout, token), terms)
  const isTighter = most !== null && most < BigInt(bounds.max) && most >= BigInt(bounds.min)
  return isTighter ? { min: bounds.min, max: most.toString() } : bounds
}

interface Bet {
  chosen: SelectionOrReason
  amountWei: bigint | null
  token: Unit
}

interface ButtonProps extends Bet, Pick<Props, 'turns'> {
  isAuto: boolean
  isRunning: boolean
}

function PlayButton({ chosen, turns, amountWei, token, isAuto, isRunning }: ButtonProps) {
  const { isPlaying, next } = useStore(desk)
  const verb = isAuto ? 'Start autobet' : (turns?.verb ?? 'Play')
  const missing = isAuto && typeof turns?.auto === 'string' ? turns.auto : null
  const face = faceOf({ chosen: turns ? missing : chosen, amountWei, token }, verb)
  const { label, note, isReady } = isRunning
    ? STOP
    : (turns?.running ?? { ...face, isReady: face.isReady && next !== null })
  return (
    <button
      type="submit"
      class={isRunning ? 'act queued' : 'act'}
      aria-disabled={isReady && (isRunning || !isPlaying) ? 'false' : 'true'}
    >
      <strong>{label}</strong>
      {note !== '' && <small>{note}</small>}
    </button>
  )
}

const STOP = { label: 'Stop autobet', note: '', isReady: true }

type Face = Pick<Bet, 'amountWei' | 'token'> & { chosen: SelectionOrReason | null }

function faceOf({ chosen, amountWei, token }: Face, verb: string) {
  const label = amountWei === null ? verb : `${verb} for ${shortAmount(amountWei, token)} ${token}`
  const note = typeof chosen === 'string' ? chosen : ''
  return { label, note, isReady: note === '' && amountWei !== null }
}

interface OddsProps extends Bet {
  game: GameName
  edgeBps: number | null
}

/** The exact possible win, and its chance or the average return. */
function Odds({ game, chosen, edgeBps, amountWei, token }: OddsProps) {
  const terms = edgeBps === null ? null : { edgeBps, tables: newestTables() }
  const selection = typeof chosen === 'string' ? null : chosen
  const best = selection && terms && bestMultiplier(selection, terms)
  const isAllOrNothing = !isPaidByTables(game)
  return (
    <dl class="odds">
      <div>
        <dt>{isAllOrNothing ? 'Pays' : 'Pays up to'}</dt>
        <dd>{best ? showMultiplier(showDown(best, 4)) : '–'}</dd>
      </div>
      {isAllOrNothing && (
        <div>
          <dt>Chance</dt>
          <dd>{best && edgeBps !== null ? showChance(chanceOf(best, edgeBps)) : '–'}</dd>
        </div>
      )}
      <div class="win">
        <dt>{isAllOrNothing ? 'You win' : 'You win up to'}</dt>
        <dd>
          {best && amountWei !== null ? (
            <Money amountWei={scaleDown(amountWei, best)} token={token} />
          ) : (
            '–'
          )}
        </dd>
      </div>
      <AverageRows share={selection && terms && returnOf(selection, terms)} />
    </dl>
  )
}

function returnOf<G extends GameName>({ game, params }: Selection<G>, terms: PayTerms): Rational {
  return specOf(game).returns(params, terms)
}

/** A choice that wins all or nothing pays the inverse of its chance, less the edge. */
function chanceOf({ numerator, denominator }: Rational, edgeBps: number): number {
  return (Number(denominator) * (10_000 - edgeBps)) / 10_000 / Number(numerator)
}
