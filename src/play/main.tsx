import { render, type FC } from 'hono/jsx/dom'
import { Account } from './account.tsx'
import { AdSlot } from './ads/slot.tsx'
import { announcement } from './announce.ts'
import { answerFunWith } from './api.ts'
import { NavLinks } from './components/nav-links.tsx'
import { Footer } from './footer.tsx'
import { FUN_WALLET } from './fun/fun.ts'
import { useEffect, useState } from './hooks.ts'
import { unproven } from './receipts.ts'
import { resumePaid } from './resume-paid.ts'
import { session, startSession } from './session.ts'
import { useStore } from './store.ts'
import { viewOf, VIEWS, type View, type ViewComponent } from './views.ts'
import './style.css'

function App() {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => {
      setHash(location.hash)
      scrollTo(0, 0)
      document.getElementById('main')?.focus({ preventScroll: true })
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const owner = useStore(session).credentials?.wallet
  useEffect(() => void resumePaid(owner), [owner])
  const { view, rest } = viewOf(hash)
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Fairhouse</span>
        </a>
        <Navigation current={view} />
        <Account isAtTable={view.path === 'crash'} />
      </header>
      <Limits />
      <FunPlay />
      <Unproven />
      <Outdated />
      <main id="main" tabindex={-1}>
        <Shown key={view.path} view={view} rest={rest} />
      </main>
      <AdSlot />
      <Footer />
      <Announcements />
    </>
  )
}

/** Loads the part of the page that shows a signed-in player their limits. */
function Limits() {
  const owner = useStore(session).credentials?.wallet
  const [loaded, setLoaded] = useState<{ Guard: FC } | null>(null)
  useEffect(() => {
    if (owner === undefined) return
    void import('./limits/guard.tsx').then((module) => setLoaded({ Guard: module.default }))
  }, [owner])
  return loaded && <loaded.Guard />
}

/** Loads the banner of play with fun chips. */
function FunPlay() {
  const isFun = useStore(session).player?.wallet === FUN_WALLET
  const [loaded, setLoaded] = useState<{ Banner: FC } | null>(null)
  useEffect(() => {
    if (isFun)
      void import('./fun/banner.tsx').then((module) => setLoaded({ Banner: module.default }))
  }, [isFun])
  return isFun && loaded ? <loaded.Banner /> : null
}

/** Warns of a receipt that proves nothing, before the house disputes the fact that it should prove. */
function Unproven() {
  const found = useStore(unproven)
  if (!found) return null
  const { about, problem } = found
  return (
    <aside class="warning" aria-label="A receipt that proves nothing">
      <p role="alert">
        The receipt of {about.replace('/', ' ')} is invalid: {problem}. Keep a copy of this page,
        and don’t stake more here until it is explained.
      </p>
      <a href="#/verify">Your receipts</a>
    </aside>
  )
}

/** Browsers' messages for a script that they could not import: Chrome and Firefox, then Safari. */
const MISSING_SCRIPT = /dynamically imported module|Importing a module script/

/** Offers to reload once a script did not load: a deployment replaces those of an open page. */
function Outdated() {
  const [isOutdated, setIsOutdated] = useState(false)
  useEffect(() => {
    const look = ({ reason }: PromiseRejectionEvent) => {
      if (MISSING_SCRIPT.test(String(reason))) setIsOutdated(true)
    }
    addEventListener('unhandledrejection', look)
    return () => removeEventListener('unhandledrejection', look)
  }, [])
  if (!isOutdated) return null
  return (
    <aside class="warning" aria-label="Reload the page">
      <p role="alert">A part of this page did not load. The page may have been updated.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </aside>
  )
}

function Navigation({ current }: { current: View }) {
  useEffect(() => {
    // On a phone the row of links is wider than the screen. Scrolling the link itself into view would also
    // move the starting point of the Tab key.
    const row = document.querySelector<HTMLElement>('nav[aria-label=Main]')
    const link = row?.querySelector<HTMLElement>('[aria-current]')
    row?.scrollTo({ left: (link?.offsetLeft ?? 0) - row.clientWidth / 2 })
  }, [current])
  return <NavLinks views={VIEWS.filter(({ isUnlisted }) => !isUnlisted)} current={current} />
}

/** Shows a view once its script has loaded. */
function Shown({ view, rest }: { view: View; rest: string[] }) {
  const [loaded, setLoaded] = useState<{ Component: ViewComponent } | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    document.title = `${view.label} · Fairhouse`
    view.load().then(
      (module) => setLoaded({ Component: module.default }),
      (fault: unknown) => {
        setHasFailed(true)
        // Tells `Outdated`.
        throw fault
      },
    )
  }, [view])
  if (hasFailed) return <p class="loading">This page did not load. Reload it to try again.</p>
  if (!loaded) return <p class="loading">Loading…</p>
  return <loaded.Component rest={rest} />
}

/** Announces texts to screen readers. */
function Announcements() {
  return (
    <p class="visually-hidden" role="status">
      {useStore(announcement)}
    </p>
  )
}

/** Moves the focus without changing the hash, which selects the view. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

answerFunWith(async (...asked) => (await import('./fun/bank.ts')).answerCall(...asked))

// A shared link has its path, which platforms need for a preview. The page works with the hash.
if (location.pathname !== '/') history.replaceState(null, '', `/#${location.pathname}`)

const root = document.getElementById('app')
if (root) render(<App />, root)
void startSession()
// Shows a page of its own when there is no network, and keeps nothing else.
addEventListener('load', () => {
  if ('serviceWorker' in navigator) {
    navigator.serviceWorker.register('/offline-worker.js').catch(() => {})
  }
})
