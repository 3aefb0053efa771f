import { useRef } from 'hono/jsx/dom'
import { useLayoutEffect, useState } from '../hooks.ts'
import { activeHotkeys, onHotkey, useHotkeys, type Hotkey } from '../hotkeys.ts'
import { change, settings } from '../settings.ts'
import { useStore } from '../store.ts'

/** A button that lists the keys, and turns them on. `?` lists them too. */
export function HotkeyList() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [keys, setKeys] = useState<Hotkey[]>([])
  const { hotkeys, safeHotkeys } = useStore(settings)
  const show = () => {
    setKeys(activeHotkeys())
    if (!dialog.current?.open) dialog.current?.showModal()
  }
  useHotkeys([{ key: '?', does: 'Show this list', press: show, stakesNothing: true }])
  useLayoutEffect(() => {
    addEventListener('keydown', onHotkey)
    return () => removeEventListener('keydown', onHotkey)
  }, [])
  return (
    <>
      <button type="button" onClick={show}>
        Hotkeys <kbd aria-hidden="true">?</kbd>
      </button>
      <dialog ref={dialog} class="panel hotkeys" aria-label="Hotkeys">
        <label class="check">
          <input type="checkbox" checked={hotkeys} onChange={() => change({ hotkeys: !hotkeys })} />
          <span>Use hotkeys</span>
        </label>
        {!hotkeys && (
          <label class="check">
            <input
              type="checkbox"
              checked={safeHotkeys}
              onChange={() => change({ safeHotkeys: !safeHotkeys })}
            />
            <span>Use only those that stake nothing</span>
          </label>
        )}
        <dl>
          {keys.map(({ key, does, stakesNothing }) => (
            <div key={key}>
              <dt>
                <kbd>{key === ' ' ? 'Space' : key.toUpperCase()}</kbd>
              </dt>
              <dd>
                {does}
                {stakesNothing && <span class="optional"> stakes nothing</span>}
              </dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  )
}
