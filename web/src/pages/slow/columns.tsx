import { Link } from '@tanstack/react-router'
import type { SlowGroup, SlowOperation } from '../../api/types'
import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { count, dateTime, latency } from '../../format'
import type { ColumnDef } from '../../table/column'
import { Ago } from '../../ui/Time'
import { liveMoment } from './live-moment'
import { mainPart } from './split'
import { SplitBar } from './SplitBar'
import { t } from '../../language/text'
import { stateWords } from '../../components/state-words'
import { Tip } from '../../ui/Tip'

const setOf = (set: string | undefined): string => (set === '' ? t('(no set)') : (set ?? t('all sets')))

/** What the operation was about, as far as that is kept. */
const about = ({ key, filter, filterShape, records }: SlowOperation): string =>
  key ??
  filter ??
  filterShape ??
  (records === undefined ? '–' : t('{records, plural, one {# record} other {# records}}', { records }))

const short = {
  display: 'inline-block',
  maxWidth: 280,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  verticalAlign: 'bottom',
} as const

/** A key or filter on one line; the pointer shows all of it. */
function Short({ text }: { text: string }) {
  return (
    <Tip cut text={text}>
      <code style={short}>{text}</code>
    </Tip>
  )
}

export const operationColumns: ColumnDef<SlowOperation>[] = [
  {
    name: 'started',
    label: t('started'),
    sort: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => (
      <Tip text={startedAt}>
        <span>{dateTime(Date.parse(startedAt))}</span>
      </Tip>
    ),
  },
  {
    name: 'operation',
    label: t('operation'),
    sort: ({ op }) => op,
    cell: (operation) => (
      <Tip text={t('Show this moment on Live')}>
        <Link to="/live" search={liveMoment(operation)}>
          {operation.op}
        </Link>
      </Tip>
    ),
  },
  // Here it is in view on a narrow screen too.
  {
    name: 'took',
    label: t('took'),
    right: true,
    sort: ({ durationMs }) => durationMs,
    cell: ({ durationMs, engineMs }) => (
      <Tip text={t('{engineMs} of it in the engine', { engineMs: latency(engineMs * 1e6) })}>
        <span>{latency(durationMs * 1e6)}</span>
      </Tip>
    ),
  },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: ({ namespace }) => namespace,
    cell: (slow) => <NamespaceOf namespace={slow.namespace} former={slow.former} />,
  },
  { name: 'set', label: t('set'), sort: ({ set }) => set ?? '', cell: ({ set }) => setOf(set) },
  { name: 'key or filter', label: t('key or filter'), cell: (operation) => <Short text={about(operation)} /> },
  { name: 'where the time went', label: t('where the time went'), cell: ({ split }) => <SplitBar split={split} /> },
  { name: 'mostly', label: t('mostly'), sort: ({ split }) => mainPart(split), cell: ({ split }) => mainPart(split) },
  {
    name: 'outcome',
    label: t('outcome'),
    sort: ({ code, outcome }) => code ?? outcome,
    cell: ({ code, outcome }) => (
      <span className={`badge ${outcome === 'ok' ? 'good' : 'bad'}`}>{code ?? stateWords(outcome)}</span>
    ),
  },
  {
    name: 'plan',
    label: t('plan'),
    low: 3,
    sort: ({ plan }) => plan ?? '',
    cell: ({ plan, threads, jobId }) =>
      plan === undefined ? (
        '–'
      ) : jobId === undefined ? (
        `${plan}, ${t('{threads, plural, one {# thread} other {# threads}}', { threads })}`
      ) : (
        <Link to="/jobs" search={{ id: jobId }}>
          {t('{plan}, {threads, plural, one {# thread} other {# threads}}', { plan, threads })}
        </Link>
      ),
  },
]

export const groupColumns: ColumnDef<SlowGroup>[] = [
  { name: 'operation', label: t('operation'), sort: ({ op }) => op, cell: ({ op }) => op },
  {
    name: 'namespace',
    label: t('namespace'),
    sort: ({ namespace }) => namespace,
    cell: (slow) => <NamespaceOf namespace={slow.namespace} former={slow.former} />,
  },
  { name: 'set', label: t('set'), sort: ({ set }) => set ?? '', cell: ({ set }) => setOf(set) },
  { name: 'filter', label: t('filter'), cell: ({ filterShape = '–' }) => <Short text={filterShape} /> },
  { name: 'count', label: t('count'), right: true, sort: (group) => group.count, cell: (group) => count(group.count) },
  {
    name: 'failed',
    label: t('failed'),
    right: true,
    sort: ({ failed }) => failed,
    cell: ({ failed }) => count(failed),
  },
  {
    name: 'total',
    label: t('total'),
    right: true,
    sort: ({ totalMs }) => totalMs,
    cell: ({ totalMs }) => latency(totalMs * 1e6),
  },
  {
    name: 'slowest',
    label: t('slowest'),
    right: true,
    sort: ({ slowestMs }) => slowestMs,
    cell: ({ slowestMs }) => latency(slowestMs * 1e6),
  },
  { name: 'where the time went', label: t('where the time went'), cell: ({ split }) => <SplitBar split={split} /> },
  { name: 'mostly', label: t('mostly'), sort: ({ split }) => mainPart(split), cell: ({ split }) => mainPart(split) },
  { name: 'last', label: t('last'), sort: ({ lastAt }) => lastAt, cell: ({ lastAt }) => <Ago time={lastAt} /> },
]
