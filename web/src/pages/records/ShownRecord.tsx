import { RoleNeeded } from '../../components/access/RoleNeeded'
import { FORM_MOST } from '../../records/edit'
import type { Exact } from '../../records/json'
import { laidOut } from '../../records/json-scan'
import { Button } from '../../ui/Button'
import { PartsView } from './PartsView'
import { RecordFacts } from './RecordFacts'
import { t } from '../../language/text'

interface Props {
  record: { [name: string]: Exact }
  /** its bins as JSON text */
  bins: string
  /** whether the reader may change it, and only its length forbids it */
  writes: boolean
  onClose: () => void
}

/** A record as it is, without fields. Long bins are shown in parts. */
export function ShownRecord({ record, bins, writes, onClose }: Props) {
  return (
    <div className="stack">
      <RecordFacts record={record} />
      <h3>{t('Bins')}</h3>
      {bins.length > FORM_MOST ? (
        <PartsView bins={bins} />
      ) : (
        <pre className="json" tabIndex={0} aria-label={t('Bins as JSON')}>
          {laidOut(bins, 2)}
        </pre>
      )}
      <div className="spread">
        {writes ? <span /> : <RoleNeeded what={t('Changing it')} operation="putRecord" />}
        <Button onClick={onClose}>{t('Close')}</Button>
      </div>
    </div>
  )
}
