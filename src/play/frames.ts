import { useEffect, useState } from './hooks.ts'

const REDUCED_MS = 250

const callbacks = new Set<() => void>()
let isRunning = false

/** Calls back on every animation frame, or four times a second if the player prefers reduced motion. */
export function onFrame(callback: () => void): () => void {
  callbacks.add(callback)
  if (!isRunning) next()
  return () => callbacks.delete(callback)
}

function next(): void {
  isRunning = callbacks.size > 0
  if (!isRunning) return
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) setTimeout(run, REDUCED_MS)
  else requestAnimationFrame(run)
}

function run(): void {
  for (const callback of callbacks) callback()
  next()
}

/** Returns a value that follows the clock. The component is drawn again when it changes. */
export function useMoving<T extends object>(read: () => T): T {
  const [shown, setShown] = useState(read)
  useEffect(() => {
    let last = JSON.stringify(read())
    setShown(read())
    return onFrame(() => {
      const value = read()
      const text = JSON.stringify(value)
      if (text === last) return
      last = text
      setShown(value)
    })
  }, [read])
  return shown
}
