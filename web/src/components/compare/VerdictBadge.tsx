import type { ReactNode } from 'react'
import type { Verdict } from '../../live/latency/verdict'

const tones: Readonly<Record<Verdict, string>> = {
  better: 'good',
  worse: 'bad',
  'no difference': '',
  'cannot tell': 'warn',
}

/** What a comparison says, in words and colour. */
export function VerdictBadge({ verdict, children }: { verdict: Verdict; children?: ReactNode }) {
  return (
    <span className={`badge ${tones[verdict]}`}>
      {verdict}
      {children}
    </span>
  )
}
