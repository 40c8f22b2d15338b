import type { ReactNode } from 'react'

interface Props {
  label: string
  /** what the table says, where that is more than its label */
  caption?: string
  children: ReactNode
}

/** The frame of every table: what is wide scrolls inside, never the page. */
export function ScrollTable({ label, caption = label, children }: Props) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={`Table: ${label}`}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  )
}
