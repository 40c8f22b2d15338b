import { count } from '../../../format'
import type { Namespace } from '../../../api/types'
import { missingWords } from '../../../components/namespaces/can'
import { recordsText } from '../../../components/namespaces/records-text'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { FactsCard } from './FactsCard'
import { t } from '../../../language/text'

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
        title={t('Cluster {name}', { name: cluster.name })}
        aside={t('{connected} of {nodes, plural, one {# node} other {# nodes}} connected', {
          connected,
          nodes: cluster.nodes.length,
        })}
        flush={cluster.nodes.length > 0}
      >
        <DataTable
          label={t('Nodes of the cluster')}
          rows={cluster.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'address', label: t('address'), cell: ({ address }) => <code>{address}</code> },
            { name: 'data centre', label: t('data centre'), cell: ({ dataCentre }) => dataCentre ?? '–' },
            { name: 'rack', label: t('rack'), cell: ({ rack }) => rack ?? '–' },
            {
              name: 'connected',
              label: t('connected'),
              cell: (node) => (
                <span className={node.connected ? undefined : 'bad'}>{node.connected ? t('yes') : t('no')}</span>
              ),
            },
          ]}
        />
      </Card>
      <div className="stack">
        <Card title={t('Where the records are')}>
          <dl className="facts">
            <dt>{t('keyspace')}</dt>
            <dd>
              <code>{cluster.keyspace}</code>
            </dd>
            <dt>{t('records')}</dt>
            <dd>{recordsText(namespace)}</dd>
            <dt>{t('sets')}</dt>
            <dd>{count(namespace.sets)}</dd>
          </dl>
        </Card>
        <FactsCard namespace={namespace} />
        <Card title={t('Not on a cluster')}>
          <p>
            {t('The engine {engine} has none of these: {namespace}.', {
              engine: namespace.config.storage.engine,
              namespace: missingWords(namespace),
            })}
          </p>
        </Card>
      </div>
    </div>
  )
}
