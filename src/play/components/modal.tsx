import { useId, useRef, type Child } from 'hono/jsx/dom'
import { useEffect } from '../hooks.ts'

interface Props {
  title: string
  /** Called for Escape too. */
  onClose: () => void
  children?: Child
}

/** A question that has to be answered before the page goes on. */
export function Modal({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Gives the focus back to the element that opened it.
    return () => current?.close()
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={dialog} class="modal" aria-labelledby={id} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
