import { Panel } from './components/panel.tsx'

/** Shown for an unknown address. */
export default function NotFound() {
  return (
    <>
      <h1 class="visually-hidden">Page not found</h1>
      <Panel title="Page not found">
        <p>
          This page does not exist. <a href="#/">Go to Crash</a>, or choose another page above.
        </p>
      </Panel>
    </>
  )
}
