import { useState } from 'react'
import { Button } from './Button'

/** Copies a text and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await writeClipboard(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button small onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  )
}

/** The clipboard API needs a secure context; plain http on another host uses execCommand. */
async function writeClipboard(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
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
