import { count, plural } from '../../../format'
import type { Namespace } from '../../../api/types'
import { missingWords } from '../../../components/namespaces/can'
import { recordsText } from '../../../components/namespaces/records-text'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { FactsCard } from './FactsCard'

interface Props {
  namespace: Namespace
  cluster: NonNullable<Namespace['cluster']>
}

/** A namespace whose records a cluster has: its nodes, and what its engine cannot do. */
export function ClusterOverview({ namespace, cluster }: Props) {
  const connected = cluster.nodes.filter((node) => node.connected).length
  return (
    <div className="grid-2 top">
      <Card
        title={`Cluster ${cluster.name}`}
        aside={`${connected} of ${plural(cluster.nodes.length, 'node')} connected`}
        flush={cluster.nodes.length > 0}
      >
        <DataTable
          label="Nodes of the cluster"
          rows={cluster.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'address', cell: ({ address }) => <code>{address}</code> },
            { name: 'data centre', cell: ({ dataCentre }) => dataCentre ?? '–' },
            { name: 'rack', cell: ({ rack }) => rack ?? '–' },
            {
              name: 'connected',
              cell: (node) => (
                <span className={node.connected ? undefined : 'bad'}>{node.connected ? 'yes' : 'no'}</span>
              ),
            },
          ]}
        />
      </Card>
      <div className="stack">
        <Card title="Where the records are">
          <dl className="facts">
            <dt>keyspace</dt>
            <dd>
              <code>{cluster.keyspace}</code>
            </dd>
            <dt>records</dt>
            <dd>{recordsText(namespace)}</dd>
            <dt>sets</dt>
            <dd>{count(namespace.sets)}</dd>
          </dl>
        </Card>
        <FactsCard namespace={namespace} />
        <Card title="Not on a cluster">
          <p>
            The engine {namespace.config.storage.engine} has none of these: {missingWords(namespace)}.
          </p>
        </Card>
      </div>
    </div>
  )
}
