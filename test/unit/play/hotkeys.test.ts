import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inBrowser } from './in-browser.ts'

const press = vi.fn()
let isDialogOpen = false

beforeEach(() => {
  inBrowser()
  press.mockReset()
  vi.stubGlobal('Element', EventTarget)
  vi.stubGlobal('document', {
    querySelector: (selector: string) => (selector === 'dialog[open]' && isDialogOpen ? {} : null),
  })
  // Components are not drawn here, so that effects run at once.
  vi.doMock('hono/jsx/dom', () => ({ useRef: (current: unknown) => ({ current }) }))
  vi.doMock('../../../src/play/hooks.ts', () => ({ useLayoutEffect: (run: () => void) => run() }))
})
afterEach(() => {
  vi.doUnmock('hono/jsx/dom')
  vi.doUnmock('../../../src/play/hooks.ts')
  vi.unstubAllGlobals()
})

it.each([
  [false, false, 1],
  [false, true, 0],
  [true, true, 1],
])(
  'a key that stakes nothing (%s), pressed outside of what a dialog contains (open: %s), acts %d times',
  async (stakesNothing, isOpen, times) => {
    isDialogOpen = isOpen
    const { change } = await import('../../../src/play/settings.ts')
    const { useHotkeys, onHotkey } = await import('../../../src/play/hotkeys.ts')
    change({ hotkeys: true })
    useHotkeys([{ key: 'b', does: 'Bet', press, stakesNothing }])
    onHotkey({ key: 'b', target: null, preventDefault() {} } as KeyboardEvent)
    expect(press).toHaveBeenCalledTimes(times)
  },
)
