import { useId } from 'hono/jsx/dom'
import { TOKENS, type Token } from '../../money/token.ts'

interface Props {
  token: Token
  onChoose: (token: Token) => void
}

/** Chooses between ETH and USDG. */
export function TokenChoice({ token, onChoose }: Props) {
  const name = useId()
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
