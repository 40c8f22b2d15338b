import { useQuery } from '@tanstack/react-query'
import { clusterQuery } from '../../../api/queries'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { NodeTable } from './NodeTable'
import { RangeCard } from './RangeCard'
import { troublesOf } from './troubles'
import { serverText } from '../../../language/server-text'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

/** The cluster of a namespace, as its nodes tell it now. */
export function ClusterTab() {
  const namespace = useNamespace()
  if (namespace.config.storage.engine !== 'cassandra')
    return (
      <Empty title={t('This namespace has no cluster')}>
        {t('Its engine is {engine}.', { engine: namespace.config.storage.engine })}
      </Empty>
    )
  if (!isOpen(namespace))
    return (
      <Empty title={t('Its cluster is not connected')}>
        {serverText(namespace.stateReason ?? '', namespace.stateSaid)}
      </Empty>
    )
  return <ClusterPanel key={namespace.name} name={namespace.name} />
}

function ClusterPanel({ name }: { name: string }) {
  const { data: view, error, refetch } = useQuery(clusterQuery(name))
  if (view === undefined)
    return error === null ? (
      <Card>
        <Skeleton lines={8} />
      </Card>
    ) : (
      <Problem error={error} onRetry={() => void refetch()} />
    )
  const troubles = troublesOf(view)
  return (
    <>
      <Problem error={error} />
      {troubles.length > 0 && (
        <div className="note warn" role="status">
          {troubles.map((trouble) => (
            <p key={trouble}>{trouble}</p>
          ))}
        </div>
      )}
      <NodeTable nodes={view.nodes} />
      <RangeCard view={view} />
      <p className="mute">
        <Say
          text="Cluster {name}, keyspace <code>{keyspace}</code>. Each node is asked every few seconds."
          values={{ name: view.name, keyspace: view.keyspace }}
        />
      </p>
    </>
  )
}
