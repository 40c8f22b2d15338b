import type { ReactNode } from 'react'
import { t } from '../language/text'

/** A folded explanation beside a setting. */
export function Help({ summary = t('What it means'), children }: { summary?: string; children: ReactNode }) {
  return (
    <details className="help">
      <summary>{summary}</summary>
      <div>{children}</div>
    </details>
  )
}
