import { render, type FC } from 'hono/jsx/dom'
import { includesRole, type Role } from '../../operator/roles.ts'
import { NavLinks } from '../components/nav-links.tsx'
import { useEffect, useState } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { useStore } from '../store.ts'
import { watchWallets } from '../wallet/installed.ts'
import { ActDialog, type Wish } from './act-dialog.tsx'
import { operating, readState, signOut, type ServiceState } from './operator.ts'
import { SignIn } from './sign-in.tsx'
import { viewOf, VIEWS, type View, type ViewProps } from './views.ts'
import '../base.css'
import './operate.css'

const READ_EVERY_MS = 5_000

/** The operators' page. Players' pages load nothing of it. */
function App() {
  const { signedIn, state } = useStore(operating)
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const { view, rest } = viewOf(hash)
  return (
    <>
      <header class="top">
        <span class="brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Fairhouse</span>
        </span>
        {state && <Navigation current={view} role={state.operator.role} />}
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
        <h1>{state ? view.label : 'Operate'}</h1>
        {signedIn ? <SignedIn state={state} view={view} rest={rest} /> : <SignIn />}
      </main>
    </>
  )
}

function Navigation({ current, role }: { current: View; role: Role }) {
  const shown = VIEWS.filter(({ least = 'viewer' }) => includesRole(role, least))
  return <NavLinks views={shown} current={current} />
}

interface SignedInProps {
  state: ServiceState | null
  view: View
  rest: string[]
}

function SignedIn({ state, view, rest }: SignedInProps) {
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
        <Shown key={view.path} view={view} shows={{ state, rest, onWish: setWish }} />
      ) : (
        <p class="loading">Loading…</p>
      )}
      {wish && <ActDialog wish={wish} onClose={() => setWish(null)} />}
    </>
  )
}

/** Shows a view once its script has loaded. */
function Shown({ view, shows }: { view: View; shows: ViewProps }) {
  const [loaded, setLoaded] = useState<{ Component: FC<ViewProps> } | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    document.title = `${view.label} · Operate · Fairhouse`
    view.load().then(
      (module) => setLoaded({ Component: module.default }),
      () => setHasFailed(true),
    )
  }, [view])
  if (hasFailed) return <p class="loading">This page did not load. Reload it to try again.</p>
  if (!loaded) return <p class="loading">Loading…</p>
  return <loaded.Component {...shows} />
}

watchWallets(window)
const root = document.getElementById('app')
if (root) render(<App />, root)
