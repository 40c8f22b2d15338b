import { Link } from '@tanstack/react-router'
import { MemoryBar } from '../../../components/MemoryBar'
import { Tile } from '../../../components/Tile'
import { isOpen } from '../../../components/namespace-states'
import { bytes, count, shortCount } from '../../../format'
import { Card } from '../../../ui/Card'
import { DeviceCard } from './DeviceCard'
import { FactsCard } from './FactsCard'
import { LimitsCard } from './LimitsCard'
import { LossesCard } from './LossesCard'
import { PagesRecoveryCard } from './PagesRecoveryCard'
import { RecoveryCard } from './RecoveryCard'
import { useNamespace } from './use-namespace'

/** How big a namespace is, where its memory goes, and what to do next. */
export function OverviewTab() {
  const namespace = useNamespace()
  // Of a namespace that is not open nothing can be counted; zeros would be wrong.
  if (!isOpen(namespace)) {
    return (
      <>
        <LossesCard losses={namespace.losses} />
        <FactsCard namespace={namespace} />
      </>
    )
  }
  const { name, records, sets, indexes, memory, device, recovery } = namespace
  const Recovery = namespace.config.storage.engine === 'paged' ? PagesRecoveryCard : RecoveryCard
  // Below this the fixed part of the tables would be all of the figure.
  const each = records < 10_000 ? undefined : memory.primaryIndex / records
  return (
    <>
      <div className="grid-4">
        <Tile name="Records" value={count(records)} note={`in ${count(sets)} set${sets === 1 ? '' : 's'}`} />
        <Tile
          name="Memory"
          value={bytes(memory.total)}
          note={records === 0 ? 'nothing stored yet' : `${bytes(memory.total / records)} a record`}
        />
        <Tile
          name="Primary index"
          value={bytes(memory.primaryIndex)}
          note={each === undefined ? 'grows with records' : `${each.toFixed(1)} B a record`}
        />
        <Tile
          name="Indexes"
          value={shortCount(indexes)}
          note={`${bytes(memory.documentIndexes + memory.setIndexes)} with set indexes`}
        />
      </div>
      <LossesCard losses={namespace.losses} />
      <div className="grid-2 top">
        <Card title="Memory by part">
          <MemoryBar memory={memory} />
        </Card>
        <div className="stack">
          {device !== undefined && <DeviceCard device={device} />}
          <LimitsCard namespace={namespace} />
          {recovery !== undefined && <Recovery recovery={recovery} />}
          <FactsCard namespace={namespace} />
          <Card title="Next">
            <div className="row">
              <Link to="/import" search={{ ns: name }} className="btn">
                Load data
              </Link>
              <Link to="/namespaces/$ns/sets" params={{ ns: name }} className="btn">
                Switch a set index
              </Link>
              <Link to="/indexes" search={{ ns: name, create: true }} className="btn">
                Build an index
              </Link>
              <Link to="/query" search={{ ns: name }} className="btn">
                Query
              </Link>
            </div>
          </Card>
        </div>
      </div>
    </>
  )
}
