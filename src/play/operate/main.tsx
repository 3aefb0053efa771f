import { render, useState } from 'hono/jsx/dom'
import { useEffect } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { useStore } from '../store.ts'
import { watchWallets } from '../wallet/installed.ts'
import { ActDialog, type Wish } from './act-dialog.tsx'
import { DecidedActs, WaitingActs } from './acts.tsx'
import { operating, readState, signOut, type ServiceState } from './operator.ts'
import { OrderForm } from './order-form.tsx'
import { Overview } from './overview.tsx'
import { SignIn } from './sign-in.tsx'
import { Switches } from './switches.tsx'
import '../base.css'
import './operate.css'

const READ_EVERY_MS = 5_000

/** The operators' page. Players' pages load nothing of it. */
function App() {
  const { signedIn, state } = useStore(operating)
  return (
    <>
      <header class="top">
        <span class="brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Fairhouse</span>
        </span>
        {state && (
          <div class="account">
            <span>
              <span class="address">{state.operator.wallet}</span>, {state.operator.role}
            </span>
            <button type="button" onClick={() => signOut()}>
              Sign out
            </button>
          </div>
        )}
      </header>
      <main id="main">
        <h1>Operate</h1>
        {signedIn ? <SignedIn state={state} /> : <SignIn />}
      </main>
    </>
  )
}

function SignedIn({ state }: { state: ServiceState | null }) {
  const { problem, news } = useStore(operating)
  const [wish, setWish] = useState<Wish | null>(null)
  useEffect(() => repeatedly(readState, READ_EVERY_MS), [])
  return (
    <>
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      <p class="news" role="status">
        {news}
      </p>
      {state ? (
        <div class="operate">
          <div class="column">
            <WaitingActs state={state} />
            <Overview state={state} />
          </div>
          <div class="column">
            <Switches state={state} onWish={setWish} />
            <OrderForm role={state.operator.role} onWish={setWish} />
            <DecidedActs state={state} />
          </div>
        </div>
      ) : (
        <p class="loading">Loading…</p>
      )}
      {wish && <ActDialog wish={wish} onClose={() => setWish(null)} />}
    </>
  )
}

watchWallets(window)
const root = document.getElementById('app')
if (root) render(<App />, root)
