import { chime } from '../chime.ts'
import { useHotkeys } from '../hotkeys.ts'
import { change, settings } from '../settings.ts'
import { useStore } from '../store.ts'
import { HotkeyList } from './hotkey-list.tsx'

/** How the player likes to play: with keys, sound, and with or without animations. */
export function PlayOptions({ hasInstant = false }: { hasInstant?: boolean }) {
  const { instant, sound } = useStore(settings)
  const toggleSound = () => {
    change({ sound: !sound })
    chime('placed')
  }
  useHotkeys([{ key: 's', does: 'Turn sound on or off', press: toggleSound }])
  return (
    <div class="play-options">
      {hasInstant && (
        <label class="check">
          <input type="checkbox" checked={instant} onChange={() => change({ instant: !instant })} />
          <span>Instant results</span>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={sound} onChange={toggleSound} />
        <span>Sound</span>
      </label>
      <HotkeyList />
    </div>
  )
}
