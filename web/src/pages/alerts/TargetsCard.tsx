import type { Alert } from '../../api/types'
import { alertKey, ruleName, shareText } from '../../components/alerts/alert-words'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

type Row = Alert & { target: NonNullable<Alert['target']> }

const windows = [
  { window: 'minute', label: t('minute') },
  { window: 'hour', label: t('hour') },
  { window: 'day', label: t('day') },
  { window: 'month', label: t('30 days') },
] as const

/** With more rows only those in view are drawn: there can be a thousand. */
const LONG = 50

/** Each latency target: the share that meets it, and how much of its budget is left. */
export function TargetsCard({ alerts }: { alerts: readonly Alert[] }) {
  const rows = alerts.filter((alert): alert is Row => alert.target !== undefined)
  if (rows.length === 0) return null
  return (
    <Card title={t('Latency targets')} aside={t('share within the target, and the budget left')} flush>
      <DataTable
        label={t('Latency targets')}
        list="targets"
        noun={(n) => t('{n, plural, one {# target} other {# targets}}', { n })}
        prefix="targets"
        rows={rows}
        keyOf={alertKey}
        columns={columns}
        long={rows.length > LONG}
      />
    </Card>
  )
}

const columns: ColumnDef<Row>[] = [
  { name: 'rule', label: t('rule'), sort: ({ rule }) => rule, cell: ({ rule }) => ruleName(rule) },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: ({ namespace }) => namespace ?? '',
    cell: ({ namespace }) => namespace,
  },
  { name: 'target', label: t('target'), right: true, cell: ({ target }) => `${target.percent}%` },
  ...windows.map(({ window, label }): ColumnDef<Row> => ({
    name: window,
    label,
    right: true,
    cell: ({ target }) => {
      const found = target.windows.find((one) => one.window === window)
      if (found?.sharePercent === undefined) return <span className="mute">–</span>
      const missed = found.enough && found.sharePercent < target.percent
      return (
        <Tip text={t('{operations, plural, one {# operation} other {# operations}}', { operations: found.operations })}>
          <span className={found.enough ? (missed ? 'bad' : undefined) : 'mute'}>
            {shareText(found.sharePercent, target.percent)}
          </span>
        </Tip>
      )
    },
  })),
  ...windows.slice(1).map(({ window, label }): ColumnDef<Row> => ({
    name: `budget, ${window}`,
    label: t('budget, {window}', { window: label }),
    right: true,
    cell: ({ target }) => {
      const left = target.windows.find((one) => one.window === window)?.budgetLeftPercent
      if (left === undefined) return <span className="mute">–</span>
      return <span className={left < 0 ? 'bad' : undefined}>{`${Math.floor(left)}%`}</span>
    },
  })),
]
