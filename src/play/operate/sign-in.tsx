import type { DevOperator } from '../../api/dev/players.ts'
import { isOwnMachine } from '../../core/own-machine.ts'
import { capital } from '../../core/words.ts'
import { get, isFailure } from '../api.ts'
import { Panel } from '../components/panel.tsx'
import { useEffect, useState } from '../hooks.ts'
import { useStore } from '../store.ts'
import Chooser from '../wallet/chooser.tsx'
import { operating, signIn } from './operator.ts'

/** Only a site on this machine has operators with publicly known keys. */
const isLocal = isOwnMachine(location.hostname)

/** Asks the operator to sign in. */
export function SignIn() {
  const { isSigningIn, problem } = useStore(operating)
  const [isChoosing, setIsChoosing] = useState(false)
  const [known, setKnown] = useState<DevOperator[]>([])
  useEffect(() => {
    if (isLocal) void readOperators().then(setKnown)
  }, [])
  return (
    <Panel title="Sign in">
      <p>
        Sign one message with your operator’s wallet. It shows you the service for 15 minutes and
        orders nothing: each act needs a signature of its own.
      </p>
      <div class="row">
        <button type="button" class="primary" onClick={() => setIsChoosing(true)}>
          {isSigningIn ? 'Sign in your wallet…' : 'Connect wallet'}
        </button>
        {known.map((operator) => (
          <button
            key={operator.role}
            type="button"
            onClick={() => void signIn({ kind: 'development', operator })}
          >
            {capital(operator.role)} of local play
          </button>
        ))}
      </div>
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {isChoosing && (
        <Chooser
          onChoose={(wallet) => {
            setIsChoosing(false)
            void signIn({ kind: 'injected', wallet })
          }}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </Panel>
  )
}

/** Returns the operators of local play. */
async function readOperators(): Promise<DevOperator[]> {
  const answer = await get<{ operators: DevOperator[] }>('/api/dev/operators')
  return isFailure(answer) ? [] : answer.operators
}
