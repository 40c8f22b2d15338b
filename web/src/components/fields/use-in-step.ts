import { useState } from 'react'

/**
 * Keeps a form and its text in sync: input into the form is written to the text, and a text changed elsewhere is read
 * again. If the text cannot express the input (`write` returns undefined, and `unsaid` is true), the text stays
 * unchanged. Incomplete input, such as a row without a name, stays in the form.
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
