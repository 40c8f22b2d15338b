import type { Series, SeriesColour } from './spec'
import { t } from '../../language/text'

/** More lines than these cannot be told apart. */
const palette: readonly SeriesColour[] = [1, 2, 3, 4, 5]

/** One of many series whose values can be added up. */
type Part = Pick<Series, 'id' | 'name' | 'values'>

/**
 * Series in the colours of the palette, of which `taken` have others already. If there are more than colours, the last
 * one is for all the rest, added up.
 */
export function withOther(parts: readonly Part[], taken = 0): Series[] {
  const free = palette.slice(taken)
  const shown = parts.length > free.length ? parts.slice(0, free.length - 1) : parts
  const rest = parts.slice(shown.length)
  const all =
    rest.length === 0
      ? shown
      : [
          ...shown,
          {
            id: 'other',
            name: t('{rest, plural, one {# other} other {# others}}', { rest: rest.length }),
            values: sums(rest),
          },
        ]
  return all.map((part, at) => ({ ...part, colour: free[at] ?? 5 }))
}

/** The sum at each x of the values that are known; null if none is. */
function sums(parts: readonly Part[]): (number | null)[] {
  return (parts[0]?.values ?? []).map((_, index) => {
    const known = parts.map(({ values }) => values[index] ?? null).filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })
}
