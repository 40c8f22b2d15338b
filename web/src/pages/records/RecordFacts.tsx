import { setName } from '../../components/fields/set-name'
import { dateTime } from '../../format'
import { generationOf } from '../../records/client'
import type { Exact } from '../../records/json'
import { t } from '../../language/text'

/** Metadata of a record. */
export function RecordFacts({ record }: { record: { [name: string]: Exact } }) {
  const time = (value: Exact | undefined): string =>
    typeof value === 'string' ? dateTime(Date.parse(value)) : t('never')
  return (
    <dl className="facts">
      <dt>{t('set')}</dt>
      <dd>{setName(String(record['set']))}</dd>
      <dt>{t('digest')}</dt>
      <dd>{String(record['digest'])}</dd>
      <dt>{t('generation')}</dt>
      <dd>{generationOf(record)}</dd>
      <dt>{t('updated')}</dt>
      <dd>{time(record['updatedAt'])}</dd>
      <dt>{t('expires')}</dt>
      <dd>{time(record['expiresAt'])}</dd>
    </dl>
  )
}
