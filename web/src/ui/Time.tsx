import { useEffect, useState } from 'react'
import { ago, dateTime } from '../format'

/** A time as "12 s ago", kept current, with the full time as its title. */
export function Ago({ time }: { time: string | undefined | null }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000)
    return () => clearInterval(timer)
  }, [])
  if (time === undefined || time === null) return <span className="mute">never</span>
  const at = Date.parse(time)
  return (
    <time dateTime={time} title={dateTime(at)}>
      {ago(at, now)}
    </time>
  )
}
