import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { namespacesQuery } from '../../../api/queries'
import { setQuery } from '../../../api/sets'
import { count } from '../../../format'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { Tip } from '../../../ui/Tip'
import { firstRowOf, type RowPlaces, segmentOf } from './row-places'
import { t } from '../../../language/text'
import { ONE_OR_MORE } from '../../../ui/number'
import { NumberInput } from '../../../ui/NumberField'

/** Fewer records than this are reached by scrolling. */
const FEW = 1000

interface Props {
  ns: string
  set: string
  /** the segment that the list begins at; unset: the first one */
  segment: number | undefined
  onSegment: (segment: number | undefined) => void
}

/** Lets a long list begin at about a row. The rows before that are those of the segment before. */
export function RowJump({ ns, set, segment, onSegment }: Props) {
  const places = useRowPlaces(ns, set)
  const [text, setText] = useState('')
  if (places === undefined) return null
  const row = Number(text.replaceAll(/[\s,._’']/g, ''))
  const valid = text.trim() !== '' && Number.isInteger(row) && row >= 1
  const begin = (next: number): void => onSegment(next === 0 ? undefined : next)
  return (
    <form
      className="row-jump"
      onSubmit={(event) => {
        event.preventDefault()
        if (valid) begin(segmentOf(row, places))
      }}
    >
      {segment !== undefined && (
        <>
          <span className="filter-chip">
            <span className="text num">
              {t('from about row {row} on', { row: count(firstRowOf(segment, places)) })}
            </span>
            <button
              type="button"
              className="remove"
              aria-label={t('List from the first record')}
              onClick={() => begin(0)}
            >
              <Icon name="close" />
            </button>
          </span>
          <Button look="quiet" small onClick={() => begin(segment - 1)}>
            {t('Earlier records')}
          </Button>
        </>
      )}
      <NumberInput
        {...ONE_OR_MORE}
        className="small"
        size={11}
        aria-label={t('Row of about {records}', { records: count(places.records) })}
        placeholder={t('row')}
        value={text}
        onChange={setText}
      />
      <Tip
        text={t(
          'Rows have no numbers in the store. The list begins at the segment that has about this row: one of {segments}.',
          { segments: count(places.segments) },
        )}
      >
        <Button type="submit" small aria-disabled={!valid}>
          {t('Go to row')}
        </Button>
      </Tip>
    </form>
  )
}

/** Undefined for a set whose rows cannot be reached so, or need not be. */
function useRowPlaces(ns: string, set: string): RowPlaces | undefined {
  const config = useQuery(namespacesQuery()).data?.items.find(({ name }) => name === ns)?.config
  const { data } = useQuery(setQuery(ns, set))
  if (config === undefined || data === undefined || data === null || data.records < FEW) return undefined
  // A bin that distributes the records fills segments unevenly, and a cluster has none.
  if (data.distributionBin !== undefined || config.storage.engine === 'cassandra') return undefined
  const { ownership, segments = 1 } = config
  return ownership !== undefined || segments < 2 ? undefined : { segments, records: data.records }
}
