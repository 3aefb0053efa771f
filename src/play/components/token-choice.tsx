import { useId } from 'hono/jsx/dom'
import { FUN, TOKENS, type Token, type Unit } from '../../money/token.ts'

interface Props {
  token: Unit
  onChoose: (token: Token) => void
}

/** Chooses between ETH and USDG. With fun chips there is nothing to choose. */
export function TokenChoice({ token, onChoose }: Props) {
  const name = useId()
  if (token === FUN) return null
  return (
    <fieldset class="token-choice">
      <legend class="visually-hidden">Token</legend>
      {TOKENS.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === token}
            onChange={() => onChoose(each)}
          />
          <span>{each}</span>
        </label>
      ))}
    </fieldset>
  )
}
