import { render, useState } from 'hono/jsx/dom'
import { Account } from './account.tsx'
import { AdSlot } from './ads/slot.tsx'
import { announcement } from './announce.ts'
import { startSession } from './session.ts'
import { useStore } from './store.ts'
import { viewOf, VIEWS, type View, type ViewComponent } from './views.ts'
import { useEffect } from './hooks.ts'
import './style.css'

function App() {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const { view, rest } = viewOf(hash)
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the game
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Fairhouse</span>
        </a>
        <Navigation current={view} />
        <Account />
      </header>
      <main id="main" tabindex={-1}>
        <Shown key={view.path} view={view} rest={rest} />
      </main>
      <AdSlot />
      <Announcements />
    </>
  )
}

function Navigation({ current }: { current: View }) {
  useEffect(() => {
    // On a phone the row of links is longer than the screen. Scrolling the link itself would also have the
    // Tab key go on from it.
    const link = document.querySelector<HTMLElement>('nav [aria-current]')
    const row = link?.closest('nav')
    row?.scrollTo({ left: (link?.offsetLeft ?? 0) - row.clientWidth / 2 })
  }, [current])
  return (
    <nav aria-label="Games">
      <ul>
        {VIEWS.filter(({ isUnlisted }) => !isUnlisted).map(({ path, label }) => (
          <li key={path}>
            <a href={`#/${path}`} aria-current={path === current.path ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A view, once its script is here. */
function Shown({ view, rest }: { view: View; rest: string[] }) {
  const [loaded, setLoaded] = useState<{ Component: ViewComponent } | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    document.title = `${view.label} · Fairhouse`
    view.load().then(
      (module) => setLoaded({ Component: module.default }),
      () => setHasFailed(true),
    )
  }, [view])
  if (hasFailed) return <p class="loading">This part did not load. Reload the page to try again.</p>
  if (!loaded) return <p class="loading">Loading …</p>
  return <loaded.Component rest={rest} />
}

/** What is announced to screen readers. */
function Announcements() {
  return (
    <p class="visually-hidden" role="status">
      {useStore(announcement)}
    </p>
  )
}

/** The hash belongs to the views: the focus is moved without it. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

const root = document.getElementById('app')
if (root) render(<App />, root)
void startSession()
