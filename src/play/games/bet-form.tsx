import { type Child } from 'hono/jsx/dom'
import type { PayTerms } from '../../games/game.ts'
import {
  isPaidByTables,
  newestTables,
  specOf,
  type GameName,
  type Selection,
} from '../../games/games.ts'
import { bestMultiplier } from '../../games/play.ts'
import { percent } from '../../games/returns.ts'
import { showMultiplier } from '../../money/multiplier.ts'
import { scaleDown, showDown, type Rational } from '../../money/rational.ts'
import type { PerToken, Token } from '../../money/token.ts'
import { SignInButtons } from '../account.tsx'
import { readAmount, shortAmount } from '../amounts.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Money } from '../components/money.tsx'
import { Refusal, useRefusalOfChips } from '../components/refusal.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useEffect } from '../hooks.ts'
import { session } from '../session.ts'
import { Store, useStore } from '../store.ts'
import { desk, play, refuse } from './desk.ts'
import { showChance } from './words.ts'

/** The same precision as in reference/returns.md. */
const RETURN_DECIMALS = 4

/** The player's choice, or a text that says what is missing. */
export type Chosen = Selection | string

/** The stake as typed, by token. It stays when the player switches games. */
const stake = new Store<{ token: Token; amounts: PerToken<string> }>({
  token: 'ETH',
  amounts: { ETH: '0.001', USDG: '1' },
})

/** The stake, the possible win and the bet button. */
export function BetForm({
  game,
  chosen,
  children,
}: {
  game: GameName
  chosen: Chosen
  children?: Child
}) {
  const { token, amounts } = useStore(stake)
  const { config, problem } = useStore(desk)
  const { credentials, me } = useStore(session)
  const amountWei = readAmount(amounts[token], token)
  useEffect(() => desk.patch({ problem: null }), [token, amounts[token]])
  useRefusalOfChips(desk, me?.chips[token])
  const submit = (event: Event) => {
    event.preventDefault()
    if (typeof chosen === 'string') refuse(chosen)
    else if (amountWei === null) refuse('Enter an amount to bet.')
    else void play({ selection: chosen, token, amountWei })
  }
  return (
    <form
      class="panel bet-form"
      aria-label="Your bet"
      onSubmit={submit}
      onKeyDown={playOncePerPress}
      noValidate
    >
      <TokenChoice token={token} onChoose={(each) => stake.patch({ token: each })} />
      <AmountField
        token={token}
        text={amounts[token]}
        bounds={config ? config.bounds[token] : null}
        onText={(text) => stake.patch({ amounts: { ...amounts, [token]: text } })}
      />
      {children}
      <Odds
        game={game}
        chosen={chosen}
        amountWei={amountWei}
        token={token}
        edgeBps={config?.edgeBps ?? null}
      />
      <div class="reach">
        {credentials ? (
          <PlayButton chosen={chosen} amountWei={amountWei} token={token} />
        ) : (
          <SignInButtons />
        )}
        <Refusal problem={problem} token={token} />
      </div>
    </form>
  )
}

interface Bet {
  chosen: Chosen
  amountWei: bigint | null
  token: Token
}

function PlayButton({ chosen, amountWei, token }: Bet) {
  const { isPlaying } = useStore(desk)
  const isReady = typeof chosen !== 'string' && amountWei !== null
  return (
    <button type="submit" class="act" aria-disabled={isReady && !isPlaying ? 'false' : 'true'}>
      <strong>
        {amountWei === null ? 'Play' : `Play for ${shortAmount(amountWei, token)} ${token}`}
      </strong>
      {typeof chosen === 'string' && <small>{chosen}</small>}
    </button>
  )
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
      {selection && terms && !isAllOrNothing && (
        <div class="returns">
          <dt>Returns on average</dt>
          <dd>{percent(returnOf(selection, terms), RETURN_DECIMALS)}</dd>
        </div>
      )}
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

/** A held-down key bets once. */
function playOncePerPress(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault()
}
