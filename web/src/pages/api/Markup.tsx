import { Fragment } from 'react'

/** A description of the document: text with `code` in backticks. */
export function Markup({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>))
}
