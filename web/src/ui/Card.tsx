import { useId, type ReactNode } from 'react'

interface Props {
  title?: ReactNode
  aside?: ReactNode
  end?: ReactNode
  flush?: boolean
  children: ReactNode
}

/** A titled panel; `aside` explains the title, `end` holds its controls. */
export function Card({ title, aside, end, flush = false, children }: Props) {
  const id = useId()
  return (
    <section className={flush ? 'card flush' : 'card'} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header>
          <h2 id={id}>{title}</h2>
          {aside !== undefined && <span className="aside">{aside}</span>}
          {end !== undefined && <span className="end">{end}</span>}
        </header>
      )}
      {children}
    </section>
  )
}
