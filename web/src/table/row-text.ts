import { isValidElement, type ReactNode } from 'react'
import type { ColumnDef } from './column'

/** The text in what a cell draws, as far as it is there before it is drawn. */
export function textIn(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (typeof node === 'number' || typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(textIn).join(' ')
  return isValidElement<{ children?: ReactNode }>(node) ? textIn(node.props.children) : ''
}

/** All that a search finds in a row, in lower case. */
export function rowText<Row>(columns: readonly ColumnDef<Row>[], row: Row): string {
  return (
    columns
      .filter(({ actions }) => actions !== true)
      // A cell that is drawn by a component has no text yet; mostly its sort key says the same.
      .flatMap(({ sort, cell }) => [textIn(cell(row)), String(sort?.(row) ?? '')])
      .join('\n')
      .toLowerCase()
  )
}

/** The rows that have every word that is looked for. */
export function foundRows<Row>(columns: readonly ColumnDef<Row>[], rows: readonly Row[], asked: string) {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const text = rowText(columns, row)
    return words.every((word) => text.includes(word))
  })
}
