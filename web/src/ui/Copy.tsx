import { t } from '../language/text'
import { useEffect, useState } from 'react'
import { Button } from './Button'

/** Copies a text, and says whether the browser did. */
export function CopyButton({ text, label = t('Copy') }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<string>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), 1500)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (button: HTMLElement): Promise<void> => {
    const copied = await writeClipboard(text, button).catch(() => false)
    setOutcome(copied ? t('Copied') : t('Not copied'))
  }
  return (
    <>
      <Button small onClick={(event) => void copy(event.currentTarget)}>
        {outcome ?? label}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome}
      </span>
    </>
  )
}

/** Copies a text. The clipboard API needs a secure context; plain http on another host uses execCommand. */
export async function writeClipboard(text: string, button: HTMLElement): Promise<boolean> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text)
    return true
  }
  const area = document.createElement('textarea')
  area.value = text
  // Beside the button: what is outside an open dialog cannot be selected.
  button.after(area)
  area.focus()
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  button.focus()
  return copied
}

/** A block of code with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
