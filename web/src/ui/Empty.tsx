import type { ReactNode } from 'react'

/** An empty state: what this place is for, and the next step. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children !== undefined && <div className="explained">{children}</div>}
      {action}
    </div>
  )
}
