import { useRef } from 'hono/jsx/dom'
import { useLayoutEffect } from './hooks.ts'
import { settings } from './settings.ts'

export interface Hotkey {
  /** As in {@link KeyboardEvent.key}, in lower case. */
  key: string
  /** Its effect, for the list. */
  does: string
  press: () => void
  /** Whether it can stay on while the others are off. */
  stakesNothing?: boolean
  /** Without it the key always does something. */
  isReady?: () => boolean
}

/** Returns a key's current action. */
const active = new Map<string, () => Hotkey | undefined>()

/** Makes keys work while the component is shown, from its first moment: an effect would run a frame later. */
export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const latest = useRef(hotkeys)
  latest.current = hotkeys
  const keys = hotkeys.map(({ key }) => key)
  useLayoutEffect(() => {
    const current = keys.map((key) => {
      const find = () => latest.current?.find((each) => each.key === key)
      return [key, find] as const
    })
    for (const [key, find] of current) active.set(key, find)
    return () => {
      for (const [key, find] of current) {
        if (active.get(key) === find) active.delete(key)
      }
    }
  }, [keys.join()])
}

/** Returns whether the player has turned a key on. */
export function isOn({ stakesNothing }: Pick<Hotkey, 'stakesNothing'>): boolean {
  const { hotkeys, safeHotkeys } = settings.value
  return hotkeys || (stakesNothing === true && safeHotkeys)
}

/** Returns the keys that do something now. */
export function activeHotkeys(): Hotkey[] {
  return [...active.values()].flatMap((current) => current() ?? [])
}

/** Presses the form's main button. */
export function pressMain(): void {
  document.querySelector<HTMLFormElement>('form.bet-form')?.requestSubmit()
}

/** Keeps a held-down Enter from submitting a form again and again. */
export function playOncePerPress(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault()
}

const TYPING = 'input:not([type=radio], [type=checkbox], [type=range]), select, textarea'
const USES_SPACE = 'input, button, a, summary, select, textarea'

/** Acts on a key, unless the player types, holds it down, or the focused element uses it. */
export function onHotkey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  const hotkey = active.get(event.key.toLowerCase())?.()
  if (!hotkey || !isOn(hotkey)) return
  const { target } = event
  const taken = event.key === ' ' ? USES_SPACE : TYPING
  const isTaken = target instanceof Element && target.matches(`${taken}, dialog *`)
  // After a press on its text or beside it, an open dialog does not contain the key's target.
  if (!hotkey.stakesNothing && document.querySelector('dialog[open]')) return
  if (isTaken || hotkey.isReady?.() === false) return
  event.preventDefault()
  hotkey.press()
}
