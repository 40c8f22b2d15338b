import { useState } from 'react'

/**
 * What a form shows of a text, in step with it: what is typed into the form is written to the text, and a text that was
 * changed elsewhere is read again. While the text cannot say what is typed (`write` answers undefined, and `unsaid` is
 * true) it stays as it was; what says nothing yet, as a row without a name, stays in the form.
 */
export function useInStep<T>(
  text: string,
  read: (text: string) => T,
  write: (value: T) => string | undefined,
  onChange: (text: string) => void,
): [value: T, change: (next: T) => void, unsaid: boolean] {
  const [value, setValue] = useState(() => read(text))
  const [known, setKnown] = useState(text)
  if (text !== known) {
    setKnown(text)
    setValue(read(text))
  }
  const change = (next: T): void => {
    const written = write(next)
    setValue(next)
    if (written === undefined) return
    setKnown(written)
    if (written !== text) onChange(written)
  }
  return [value, change, write(value) === undefined]
}
