import type { ClusterView } from '../../../api/types'
import { bytes, count, latency, rate, share } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

type Node = ClusterView['nodes'][number]

/** Every node of the cluster, side by side. */
export function NodeTable({ nodes }: { nodes: readonly Node[] }) {
  return (
    <Card
      title={t('Nodes')}
      aside={t("reads and writes are each node's own, of this namespace, over five minutes")}
      flush
    >
      <DataTable label={t('Nodes')} rows={nodes} keyOf={({ id }) => id} columns={columns} />
    </Card>
  )
}

function StateOf({ node: { connected, error, state } }: { node: Node }) {
  if (!connected) return <span className="bad">{t('not connected')}</span>
  if (error !== undefined)
    return (
      <Tip text={error}>
        <span className="bad">{t('no answer')}</span>
      </Tip>
    )
  return <span className={state === 'NORMAL' ? undefined : 'warn'}>{state?.toLowerCase() ?? t('not told')}</span>
}

const ms = (value: number | undefined): string => (value === undefined ? '–' : latency(value * 1e6))

const perSecond = (name: string, of: (node: Node) => Node['reads']): ColumnDef<Node> => ({
  name,
  right: true,
  sort: (node) => of(node)?.perSecond ?? -1,
  cell: (node) => {
    const told = of(node)
    return told === undefined ? '–' : rate(told.perSecond)
  },
})

const columns: readonly ColumnDef<Node>[] = [
  {
    name: 'address',
    label: t('address'),
    cell: ({ address }) => <code>{address}</code>,
    sort: ({ address }) => address,
  },
  { name: 'state', label: t('state'), cell: (node) => <StateOf node={node} /> },
  {
    name: 'data centre',
    label: t('data centre'),
    cell: ({ dataCentre }) => dataCentre ?? '–',
    sort: ({ dataCentre }) => dataCentre ?? '',
  },
  { name: 'rack', label: t('rack'), cell: ({ rack }) => rack ?? '–', sort: ({ rack }) => rack ?? '' },
  {
    name: 'on disk',
    label: t('on disk'),
    right: true,
    sort: ({ loadBytes }) => loadBytes ?? -1,
    cell: ({ loadBytes }) => (loadBytes === undefined ? '–' : bytes(loadBytes)),
  },
  { name: 'has', label: t('has'), right: true, sort: (node) => node.share, cell: (node) => share(node.share) },
  {
    name: 'tokens',
    label: t('tokens'),
    right: true,
    sort: ({ tokens }) => tokens,
    cell: ({ tokens }) => count(tokens),
  },
  {
    name: 'hint files',
    label: t('hint files'),
    right: true,
    sort: ({ hintFiles }) => hintFiles ?? -1,
    cell: ({ hintFiles }) => (hintFiles === undefined ? '–' : count(hintFiles)),
  },
  {
    name: 'answers in',
    label: t('answers in'),
    right: true,
    sort: ({ answerMs }) => answerMs ?? -1,
    cell: ({ answerMs }) => ms(answerMs),
  },
  perSecond('reads/s', ({ reads }) => reads),
  perSecond('writes/s', ({ writes }) => writes),
  { name: 'version', label: t('version'), cell: ({ version }) => version ?? '–' },
]
