import { useState } from 'react'
import { withPoll, type Heat, type Poll } from './heat'

/** The heat of the segments, from the polls of the open page. */
export function useHeat(poll: Poll | undefined): Heat | undefined {
  const [heat, setHeat] = useState<Heat>()
  // Update during render, so that no frame shows a poll without its heat.
  if (poll !== undefined && heat?.newest.at !== poll.at) {
    const next = withPoll(heat, poll)
    setHeat(next)
    return next
  }
  return heat
}
