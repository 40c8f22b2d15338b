import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-may'
import { MemoryBar } from '../../../components/MemoryBar'
import { Tile } from '../../../components/Tile'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { bytes, count, fixed, shortCount } from '../../../format'
import { Card } from '../../../ui/Card'
import { GrowthCard } from '../growth/GrowthCard'
import { ClusterOverview } from './ClusterOverview'
import { DeviceCard } from './DeviceCard'
import { FactsCard } from './FactsCard'
import { LimitsCard } from './LimitsCard'
import { LossesCard } from './LossesCard'
import { PagesRecoveryCard } from './PagesRecoveryCard'
import { RecoveryCard } from './RecoveryCard'
import { useNamespace } from './use-namespace'
import { t, tIn } from '../../../language/text'

/** Size and memory of a namespace, and next steps. */
export function OverviewTab() {
  const namespace = useNamespace()
  const may = useMay()
  // A namespace that is not open has no counts; zeros would be wrong.
  if (!isOpen(namespace)) {
    return (
      <>
        <LossesCard losses={namespace.losses} />
        <FactsCard namespace={namespace} />
      </>
    )
  }
  if (namespace.cluster !== undefined) return <ClusterOverview namespace={namespace} cluster={namespace.cluster} />
  const { name, records = 0, sets = 0, indexes, memory, device, recovery } = namespace
  const place = { namespace: name }
  const Recovery = namespace.config.storage.engine === 'paged' ? PagesRecoveryCard : RecoveryCard
  // With fewer records, the figure would only show the fixed size of the tables.
  const each = records < 10_000 ? undefined : memory.primaryIndex / records
  return (
    <>
      <div className="grid-4">
        <Tile
          name={t('Records')}
          value={count(records)}
          note={t('in {sets, plural, one {# set} other {# sets}}', { sets })}
        />
        <Tile
          name={t('Memory')}
          value={bytes(memory.total)}
          note={
            records === 0 ? t('nothing stored yet') : t('{total} per record', { total: bytes(memory.total / records) })
          }
        />
        <Tile
          name={t('Primary index')}
          value={bytes(memory.primaryIndex)}
          note={
            each === undefined ? t('grows with the number of records') : t('{n} B per record', { n: fixed(each, 1) })
          }
        />
        <Tile
          name={t('Indexes')}
          value={shortCount(indexes)}
          note={t('{documentIndexes} with set indexes', {
            documentIndexes: bytes(memory.documentIndexes + memory.setIndexes),
          })}
        />
      </div>
      <LossesCard losses={namespace.losses} />
      <GrowthCard namespace={namespace} />
      <div className="grid-2 top">
        <Card title={t('Memory by part')}>
          <MemoryBar memory={memory} />
        </Card>
        <div className="stack">
          {device !== undefined && <DeviceCard device={device} />}
          <LimitsCard namespace={namespace} />
          {recovery !== undefined && <Recovery recovery={recovery} />}
          <FactsCard namespace={namespace} />
          <Card title={tIn('what to do next', 'Next')}>
            <div className="row">
              {may('importRecords', place) && (
                <Link to="/import" search={{ ns: name }} className="btn">
                  {t('Load data')}
                </Link>
              )}
              {may('updateSet', place) && (
                <Link to="/namespaces/$ns/sets" params={{ ns: name }} className="btn">
                  {t('Switch on a set index')}
                </Link>
              )}
              {may('createIndex', place) && (
                <Link to="/indexes" search={{ ns: name, create: true }} className="btn">
                  {t('Build an index')}
                </Link>
              )}
              <Link to="/query" search={{ ns: name }} className="btn">
                {t('Query')}
              </Link>
            </div>
          </Card>
        </div>
      </div>
    </>
  )
}
