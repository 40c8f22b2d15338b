import { t } from '../../language/text'
import type { ReactNode } from 'react'
import type { Verdict } from '../../live/latency/verdict'

const tones: Readonly<Record<Verdict, string>> = {
  better: 'good',
  worse: 'bad',
  'no difference': '',
  'cannot tell': 'warn',
}

/** A verdict as it is shown. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  better: t('better'),
  worse: t('worse'),
  'no difference': t('no difference'),
  'cannot tell': t('cannot tell'),
}

/** What a comparison says, in words and colour. */
export function VerdictBadge({ verdict, children }: { verdict: Verdict; children?: ReactNode }) {
  return (
    <span className={`badge ${tones[verdict]}`}>
      {verdictWords[verdict]}
      {children}
    </span>
  )
}
