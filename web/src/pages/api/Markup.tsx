import { Fragment } from 'react'

/** A description of the document, which is in English: text with `code` in backticks. */
export function Markup({ text }: { text: string }) {
  return (
    <span lang="en">
      {text
        .split('`')
        .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>))}
    </span>
  )
}
