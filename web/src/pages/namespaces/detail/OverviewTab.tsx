import { Link } from '@tanstack/react-router'
import { MemoryBar } from '../../../components/MemoryBar'
import { Tile } from '../../../components/Tile'
import { bytes, count, dateTime, shortCount } from '../../../format'
import { Card } from '../../../ui/Card'
import { Ago } from '../../../ui/Time'
import { DeviceCard } from './DeviceCard'
import { useNamespace } from './use-namespace'

/** How big a namespace is, where its memory goes, and what to do next. */
export function OverviewTab() {
  const { name, records, sets, indexes, memory, createdAt, lastWriteAt, capabilities, device } = useNamespace()
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
      <div className="grid-2 top">
        <Card title="Memory by part">
          <MemoryBar memory={memory} />
        </Card>
        <div className="stack">
          {device !== undefined && <DeviceCard device={device} />}
          <Card title="Facts">
            <dl className="facts">
              <dt>created</dt>
              <dd>{dateTime(Date.parse(createdAt))}</dd>
              <dt>last write</dt>
              <dd>
                <Ago time={lastWriteAt} />
              </dd>
              <dt>set indexes</dt>
              <dd>{capabilities.setIndex ? 'yes' : 'no'}</dd>
              <dt>document indexes</dt>
              <dd>{capabilities.documentIndex ? 'yes' : 'no'}</dd>
              <dt>range indexes</dt>
              <dd>{capabilities.rangeIndex ? 'yes' : 'no'}</dd>
              <dt>durability</dt>
              <dd>{capabilities.durability.join(', ')}</dd>
            </dl>
          </Card>
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
