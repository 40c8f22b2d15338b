import type { ReactNode, Ref } from 'react'

interface Props {
  label: string
  /** description, if the label is not enough */
  caption?: string
  /** for a long table that also scrolls vertically: number of rows with the header, drawn or not */
  lines?: number
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}

/** The frame of every table. A wide table scrolls inside it, never the page. */
export function ScrollTable({ label, caption = label, lines, ref, children }: Props) {
  return (
    <div
      ref={ref}
      className={lines === undefined ? 'table-scroll' : 'table-scroll long'}
      tabIndex={0}
      role="region"
      aria-label={`Table: ${label}`}
    >
      <table className="table" aria-rowcount={lines}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  )
}
