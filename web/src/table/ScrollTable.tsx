import type { ReactNode, Ref } from 'react'

interface Props {
  label: string
  /** what the table says, where that is more than its label */
  caption?: string
  /** of a long table: how many lines it has with its header, drawn or not; it scrolls up and down inside too */
  lines?: number
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}

/** The frame of every table: what is wide scrolls inside, never the page. */
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
