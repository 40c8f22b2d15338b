import type { ReactNode, Ref } from 'react'
import { CutTip, useCutTip } from './CutTip'
import { rowKeys } from './row-keys'
import { t } from '../language/text'

interface Props {
  label: string
  /** description, if the label is not enough */
  caption?: string
  /** for a long table that also scrolls vertically: number of rows with the header, drawn or not */
  lines?: number | undefined
  /** how high a long table gets: a part of its page, or the page */
  tall?: boolean
  /** narrowest width of a long table, pixels, below which it scrolls */
  minWidth?: number | undefined
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}

/** The frame of every table. A wide table scrolls inside it, never the page. */
export function ScrollTable({ label, caption = label, lines, tall = false, minWidth, ref, children }: Props) {
  const { cut, handlers, hide } = useCutTip()
  return (
    <div
      ref={ref}
      className={`table-scroll${lines === undefined ? '' : tall ? ' long tall' : ' long'}`}
      tabIndex={0}
      role="region"
      aria-label={t('Table: {label}', { label })}
      onKeyDown={rowKeys}
      {...handlers}
    >
      <table className="table" aria-rowcount={lines} style={minWidth === undefined ? undefined : { minWidth }}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
      <CutTip cut={cut} onClose={hide} />
    </div>
  )
}
