import { announce } from '../announce.ts'
import { useState } from '../hooks.ts'

interface Props {
  /** The text to copy. */
  text: string
  /** The part of it to show. */
  shown?: string
  /** A name for it, for screen readers. */
  name: string
}

/** Text with a button that copies it. */
export function Copied({ text, shown = text, name }: Props) {
  const [isCopied, setIsCopied] = useState(false)
  const [isRefused, setIsRefused] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
      announce(`${name} copied`)
    } catch {
      setIsRefused(true)
      announce(`This browser does not allow copying. The ${name} is ${text}`)
    }
  }
  return (
    <span class="copied">
      {/* In full, to be selected. */}
      <code title={text}>{isRefused ? text : shown}</code>
      <button type="button" class="small" aria-label={`Copy ${name}`} onClick={() => void copy()}>
        {isCopied ? 'Copied' : isRefused ? 'Select it' : 'Copy'}
      </button>
    </span>
  )
}

/** A transaction's hash, shortened. */
export function Transaction({ hash }: { hash: string }) {
  const shown = `${hash.slice(0, 8)}…${hash.slice(-6)}`
  return <Copied text={hash} shown={shown} name="transaction hash" />
}
