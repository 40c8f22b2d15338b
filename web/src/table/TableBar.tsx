import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useSettled } from '../components/use-settled'
import { count } from '../format'
import { t } from '../language/text'
import { Icon } from '../ui/Icon'

interface Props {
  label: string
  /** so many rows, in words */
  noun: (rows: number) => string
  asked: string
  onAsk: (text: string) => void
  found: number
  total: number
  /** the menu of columns */
  end: ReactNode
}

/** Above a list: its search, its count, and its menu of columns. */
export function TableBar({ label, noun, asked, onAsk, found, total, end }: Props) {
  return (
    <div className="table-bar">
      <SearchBox label={t('Search {label}', { label })} asked={asked} onAsk={onAsk} />
      <span className="mute small num" aria-live="polite">
        {asked === '' ? noun(total) : t('{found} of {total}', { found: count(found), total: noun(total) })}
      </span>
      {end}
    </div>
  )
}

/** Its text goes into the address when the typing pauses. */
function SearchBox({ label, asked, onAsk }: { label: string; asked: string; onAsk: (text: string) => void }) {
  const [text, setText] = useState(asked)
  const settled = useSettled(text)
  const told = useRef(asked)
  useEffect(() => {
    if (settled === told.current) return
    told.current = settled
    onAsk(settled)
  }, [settled, onAsk])
  useEffect(() => {
    // The address was changed by somebody else, such as the browser's Back.
    if (asked === told.current) return
    told.current = asked
    setText(asked)
  }, [asked])
  return (
    <span className="search-box">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={t('Search')}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
    </span>
  )
}
