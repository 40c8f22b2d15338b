import type { ReactNode } from 'react'

/** A folded explanation beside a setting. */
export function Help({ summary = 'What it means', children }: { summary?: string; children: ReactNode }) {
  return (
    <details className="help">
      <summary>{summary}</summary>
      <div>{children}</div>
    </details>
  )
}
