import type { ReactNode } from 'react'

interface Props {
  name: string
  value: string
  note: string
  tone?: 'good' | 'bad' | undefined
  children?: ReactNode
}

/** One number that matters, with what explains it. */
export function Tile({ name, value, note, tone, children }: Props) {
  return (
    <div className="card tile">
      <small>{name}</small>
      <strong className={tone}>{value}</strong>
      <em>{note}</em>
      {children}
    </div>
  )
}
