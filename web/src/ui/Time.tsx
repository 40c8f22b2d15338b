import { useState, useSyncExternalStore } from 'react'
import { ago, dateTime } from '../format'
import { t } from '../language/text'
import { Tip } from './Tip'

const EVERY_MS = 5000
const shown = new Set<() => void>()
let tickedAt = 0
let timer: ReturnType<typeof setInterval> | undefined

/** All times of a page go on together: a long list would else render each row by itself. */
function subscribe(listener: () => void): () => void {
  shown.add(listener)
  timer ??= setInterval(() => {
    tickedAt = Date.now()
    for (const one of shown) one()
  }, EVERY_MS)
  return () => {
    shown.delete(listener)
    if (shown.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A time as "12 s ago", kept current, with the full time as its tip. */
export function Ago({ time }: { time: string | undefined | null }) {
  const at = time === undefined || time === null ? undefined : Date.parse(time)
  const [firstAt] = useState(() => Date.now())
  const read = (): string => (at === undefined ? t('never') : ago(at, Math.max(firstAt, tickedAt)))
  const words = useSyncExternalStore(subscribe, read, read)
  if (at === undefined || time === undefined || time === null) return <span className="mute">{words}</span>
  return (
    <Tip text={dateTime(at)}>
      <time dateTime={time}>{words}</time>
    </Tip>
  )
}
