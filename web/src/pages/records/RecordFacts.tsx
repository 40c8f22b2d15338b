import { setName } from '../../components/fields/set-name'
import { dateTime } from '../../format'
import { generationOf } from '../../records/client'
import type { Exact } from '../../records/json'

/** Metadata of a record. */
export function RecordFacts({ record }: { record: { [name: string]: Exact } }) {
  const time = (value: Exact | undefined): string => (typeof value === 'string' ? dateTime(Date.parse(value)) : 'never')
  return (
    <dl className="facts">
      <dt>set</dt>
      <dd>{setName(String(record['set']))}</dd>
      <dt>digest</dt>
      <dd>{String(record['digest'])}</dd>
      <dt>generation</dt>
      <dd>{generationOf(record)}</dd>
      <dt>updated</dt>
      <dd>{time(record['updatedAt'])}</dd>
      <dt>expires</dt>
      <dd>{time(record['expiresAt'])}</dd>
    </dl>
  )
}
