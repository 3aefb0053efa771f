import { Panel } from './components/panel.tsx'

/** For an address that leads nowhere. */
export default function NotFound() {
  return (
    <>
      <h1 class="visually-hidden">Page not found</h1>
      <Panel title="Page not found">
        <p>
          There is nothing at this address. <a href="#/">Go back to the game</a>, or choose another
          page above.
        </p>
      </Panel>
    </>
  )
}
