import { Fragment, type ReactNode } from 'react'
import { rich, type Tag } from './text'

const tags: Readonly<Record<string, Tag<ReactNode>>> = {
  b: (parts) => <b>{parts}</b>,
  code: (parts) => <code>{parts}</code>,
  em: (parts) => <em>{parts}</em>,
  num: (parts) => <b className="num">{parts}</b>,
}

interface Props {
  /** as in `t`, with the tags `b`, `code`, `em` and `num`, and those in `values` */
  text: string
  values?: Readonly<Record<string, ReactNode | Tag<ReactNode>>>
}

/** A text with marked parts, in the language of the reader. */
export function Say({ text, values }: Props) {
  // No part has an identity of its own: they only change with the whole text.
  return rich<ReactNode>(text, { ...tags, ...(values as Record<string, ReactNode>) }).map((part, at) => (
    <Fragment key={at}>{part}</Fragment>
  ))
}
