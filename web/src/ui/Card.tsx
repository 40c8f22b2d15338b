import { useId, type ReactNode, type Ref } from 'react'

interface Props {
  title?: ReactNode
  aside?: ReactNode
  end?: ReactNode
  flush?: boolean
  /** of a card that the focus is moved to */
  ref?: Ref<HTMLElement>
  children: ReactNode
}

/** A titled panel; `aside` explains the title, `end` holds its controls, if there are any. */
export function Card({ title, aside, end, flush = false, ref, children }: Props) {
  const id = useId()
  return (
    <section
      ref={ref}
      tabIndex={ref === undefined ? undefined : -1}
      className={flush ? 'card flush' : 'card'}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <header>
          <h2 id={id}>{title}</h2>
          {aside !== undefined && <span className="aside">{aside}</span>}
          {Boolean(end) && <span className="end">{end}</span>}
        </header>
      )}
      {children}
    </section>
  )
}
