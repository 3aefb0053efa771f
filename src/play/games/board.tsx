import { useRef, type Child } from 'hono/jsx/dom'
import { useState } from '../hooks.ts'
import { useStore } from '../store.ts'
import { desk } from './desk.ts'
import { moved } from './grid.ts'

export interface Cell {
  label: string
  isPressed: boolean
  /** The state after the last play. */
  state: string
  face: Child
  /** Changes to make the face appear again. */
  faceKey: number | string
  /** Its position among faces that appear in sequence. */
  order?: number
}

interface Props {
  label: string
  width: number
  cells: Cell[]
  onPress: (index: number) => void
}

/** A grid of buttons: one tab stop, with arrow keys to move inside. */
export function Board({ label, width, cells, onPress }: Props) {
  const { isPlaying } = useStore(desk)
  const [current, setCurrent] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const to = moved(event.key, current, { count: cells.length, width })
    if (to === null) return
    event.preventDefault()
    setCurrent(to)
    box.current?.querySelectorAll('button')[to]?.focus()
  }
  return (
    <div
      ref={box}
      class={isPlaying ? 'board busy' : 'board'}
      role="group"
      aria-label={label}
      onKeyDown={move}
    >
      {cells.map((cell, index) => (
        <button
          key={index}
          type="button"
          class={`cell ${cell.state}`}
          aria-label={cell.label}
          aria-pressed={cell.isPressed ? 'true' : 'false'}
          tabindex={index === current ? 0 : -1}
          onClick={() => {
            setCurrent(index)
            onPress(index)
          }}
        >
          <span key={cell.faceKey} class="cell-face" style={{ '--order': String(cell.order ?? 0) }}>
            {cell.face}
          </span>
        </button>
      ))}
    </div>
  )
}
