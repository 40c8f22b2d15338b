import type { PageSizes } from '../../../api/types'
import { bytes } from '../../../format'
import { t } from '../../../language/text'

export interface SizeRow {
  pageBytes: number
  label: string
  current: boolean
  missesPerRead: number
  readBytesPerRead: number
  /** bytes relative to the namespace's page size; undefined if that has no estimate */
  against: number | undefined
  /** bytes relative to the size that reads the most, 0 to 1 */
  part: number
}

/** The estimates by page size. */
export function sizeRows({ sizes }: PageSizes, pageBytes: number): SizeRow[] {
  const own = sizes.find((size) => size.pageBytes === pageBytes)?.readBytesPerRead ?? 0
  const most = Math.max(0, ...sizes.map(({ readBytesPerRead }) => readBytesPerRead))
  return sizes.map((size) => ({
    ...size,
    label: bytes(size.pageBytes),
    current: size.pageBytes === pageBytes,
    against: own > 0 ? size.readBytesPerRead / own : undefined,
    part: most > 0 ? size.readBytesPerRead / most : 0,
  }))
}

/** The size that reads the fewest bytes, as a sentence; undefined if it is the current one, or not known. */
export function verdict(rows: readonly SizeRow[]): string | undefined {
  const [best] = rows.toSorted((a, b) => a.readBytesPerRead - b.readBytesPerRead)
  if (best === undefined || best.current || best.against === undefined || best.against > 0.95) return undefined
  return t('Pages of {label} would read {n}% fewer bytes for the same reads.', {
    label: best.label,
    n: Math.round((1 - best.against) * 100),
  })
}
