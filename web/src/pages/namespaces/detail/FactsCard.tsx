import type { Namespace } from '../../../api/types'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { dateTime } from '../../../format'
import { Card } from '../../../ui/Card'
import { Ago } from '../../../ui/Time'

/** Creation, last write and capabilities of a namespace. */
export function FactsCard({ namespace }: { namespace: Namespace }) {
  const { createdAt, lastWriteAt, capabilities, config } = namespace
  return (
    <Card title="Facts">
      <dl className="facts">
        <dt>created</dt>
        <dd>{dateTime(Date.parse(createdAt))}</dd>
        {/* Other servers write to a cluster too. */}
        {isOpen(namespace) && capabilities.counts === 'exact' && (
          <>
            <dt>last write</dt>
            <dd>
              <Ago time={lastWriteAt} />
            </dd>
          </>
        )}
        <dt>set indexes</dt>
        <dd>{capabilities.setIndex ? 'yes' : 'no'}</dd>
        <dt>document indexes</dt>
        <dd>{capabilities.documentIndex ? 'yes' : 'no'}</dd>
        <dt>range indexes</dt>
        <dd>{capabilities.rangeIndex ? 'yes' : 'no'}</dd>
        <dt>durability</dt>
        <dd>{config.storage.engine === 'cassandra' ? 'the cluster decides' : capabilities.durability.join(', ')}</dd>
      </dl>
    </Card>
  )
}
