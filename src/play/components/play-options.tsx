import { change, settings } from '../settings.ts'
import { useStore } from '../store.ts'
import { HotkeyList } from './hotkey-list.tsx'

/** How the player likes to play: with keys, and with or without animations. */
export function PlayOptions({ hasInstant = false }: { hasInstant?: boolean }) {
  const { instant } = useStore(settings)
  return (
    <div class="play-options">
      {hasInstant && (
        <label class="check">
          <input type="checkbox" checked={instant} onChange={() => change({ instant: !instant })} />
          <span>Instant results</span>
        </label>
      )}
      <HotkeyList />
    </div>
  )
}
