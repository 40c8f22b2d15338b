import type { ReactNode } from 'react'
import { writeClass, writeText } from '../live/use-written'

export interface TileFigures {
  value: string
  note: string
  tone?: 'good' | 'bad' | undefined
}

interface Props extends TileFigures {
  name: string
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

/** A tile whose figures `writeTile` writes in place. */
export function WrittenTile({ name }: { name: string }) {
  return (
    <div className="card tile written">
      <small>{name}</small>
      <strong />
      <em />
    </div>
  )
}

export function writeTile(tile: Element | undefined, { value, note, tone }: TileFigures): void {
  const [, figure, words] = tile?.children ?? []
  writeText(figure, value)
  writeClass(figure, tone ?? '')
  writeText(words, note)
}
