import { RoleNeeded } from '../../components/access/RoleNeeded'
import type { Exact } from '../../records/json'
import { Button } from '../../ui/Button'
import { RecordFacts } from './RecordFacts'

interface Props {
  record: { [name: string]: Exact }
  /** its bins as JSON text */
  bins: string
  onClose: () => void
}

/** A record as it is, without fields. */
export function ShownRecord({ record, bins, onClose }: Props) {
  return (
    <div className="stack">
      <RecordFacts record={record} />
      <h3>Bins</h3>
      <pre className="json" tabIndex={0} aria-label="Bins as JSON">
        {bins}
      </pre>
      <div className="spread">
        <RoleNeeded what="Changing it" operation="putRecord" />
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  )
}
