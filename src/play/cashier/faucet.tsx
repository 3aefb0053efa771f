import type { Me } from '../../ledger/me.ts'
import { TOKENS, type PerToken, type Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { isFailure, post, type Problem } from '../api.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { useState } from '../hooks.ts'
import { session, tookMe } from '../session.ts'
import { useStore } from '../store.ts'

const GIVEN_WEI: PerToken<string> = { ETH: String(10n ** 18n), USDG: String(1_000n * 10n ** 6n) }

/** Stands in for a vault: free chips in local play, and elsewhere an explanation. */
export function Faucet() {
  const { credentials, developmentPlayers } = useStore(session)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [got, setGot] = useState<Token | null>(null)
  if (!developmentPlayers?.length) {
    return (
      <Panel title="Deposit">
        <p>Deposits and withdrawals aren’t available on this site.</p>
      </Panel>
    )
  }
  const take = async (token: Token) => {
    if (!credentials) return
    setGot(null)
    const body = { wallet: credentials.wallet, token, amountWei: GIVEN_WEI[token] }
    const answer = await post<{ me: Me }>('/api/dev/faucet', body)
    setProblem(isFailure(answer) ? answer.error : null)
    if (isFailure(answer)) return
    tookMe(credentials.wallet, answer.me)
    setGot(token)
    announce(`${token} chips added.`)
  }
  return (
    <Panel title="Free chips">
      <p>You are playing locally, without a chain. These chips are free and have no value.</p>
      <div class="row">
        {TOKENS.map((token) => (
          <button key={token} type="button" class="primary" onClick={() => void take(token)}>
            Take <Money amountWei={GIVEN_WEI[token]} token={token} />
          </button>
        ))}
      </div>
      <p class="good">
        {got && (
          <>
            Added <Money amountWei={GIVEN_WEI[got]} token={got} />
          </>
        )}
      </p>
      <Refusal problem={problem} token="ETH" />
    </Panel>
  )
}
