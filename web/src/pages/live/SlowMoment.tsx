import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { slowQuery } from '../../api/queries'
import type { SlowOperation } from '../../api/types'
import { useLinked, type ChartLink } from '../../charts/card/link'
import type { Range } from '../../charts/spec/spec'
import { useSettled } from '../../components/use-settled'
import { count, latency } from '../../format'
import { latencySpan } from '../../live/latency/words'
import { OPERATIONS, operationsOf } from '../../live/filter'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { mainPart } from '../slow/split'
import { t } from '../../language/text'

const SHOWN = 5
/** The frame of a second may end a little later than the second. */
const LATE_MS = 500
/** As many are counted. */
const MOST = 1000
const NS_PER_MS = 1e6

interface Props {
  /** keeps the selected span */
  link: ChartLink
  namespace: string | undefined
  op: string | undefined
  /** Slow operations are measured in the engine, so a cell of the gateway's latencies says nothing about theirs. */
  side: 'engine' | 'gateway'
}

/** The slow operations that ended in the selected span, and took as long as the selected cell says. */
export function SlowMoment({ link, namespace, op, side }: Props) {
  const selection = useSettled(useLinked(link, (state) => state.selection))
  const chosen = useSettled(useLinked(link, (state) => state.cell))
  const cell = side === 'engine' ? chosen : undefined
  return (
    <Card
      title={t('Slow operations')}
      aside={cell && latencySpan(cell.from, cell.to)}
      end={
        cell !== undefined && (
          <Button small look="quiet" onClick={() => link.select(selection)}>
            {t('All latencies')}
          </Button>
        )
      }
    >
      {selection === undefined ? (
        <p className="mute small">{t('Click on a chart to see the slow operations of that moment.')}</p>
      ) : (
        <Moment range={selection} cell={cell} namespace={namespace} op={op} />
      )}
      {selection !== undefined && chosen !== cell && (
        <p className="mute small">
          {t('These are of all latencies, because slow operations are measured in the engine.')}
        </p>
      )}
    </Card>
  )
}

/** A cell as the API is asked for it: without bounds that it does not have. */
const durations = (cell: Range | undefined) => ({
  minEngineMs: cell && cell.from > 0 ? cell.from / NS_PER_MS : undefined,
  belowEngineMs: cell && cell.to < Infinity ? cell.to / NS_PER_MS : undefined,
})

interface MomentProps extends Pick<Props, 'namespace' | 'op'> {
  range: Range
  cell: Range | undefined
}

function Moment({ range, cell, namespace: ns, op }: MomentProps) {
  const known = OPERATIONS.find((one) => one === op)
  const span = { ns, op: known, from: range.from, to: range.to + LATE_MS, ...durations(cell) }
  const asked = { ...span, ops: operationsOf(op), group: 'none', sort: 'slowest', limit: MOST } as const
  const { data, error, refetch } = useQuery(slowQuery(asked))
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />
  const found = data?.items
  if (found === undefined) return null
  if (found.length === 0)
    return (
      <p className="mute small">
        {cell === undefined ? t('None of this span is kept.') : t('None of this cell is kept.')}{' '}
        <Link to="/slow">{t('What is kept')}</Link>
      </p>
    )
  return (
    <>
      <ul className="stack small">
        {found.slice(0, SHOWN).map((item) => (
          <li key={item.id}>
            <b>{latency(item.engineMs * NS_PER_MS)}</b> {item.op} {placeOf(item)}
            <span className="mute">{t(', mostly {split}', { split: mainPart(item.split) })}</span>
          </li>
        ))}
      </ul>
      <p className="small">
        <Link to="/slow" search={{ ...span, sort: 'slowest' }}>
          {data?.truncated === true
            ? t('Show more than {most}', { most: count(MOST) })
            : found.length > SHOWN
              ? t('Show all {found}', { found: count(found.length) })
              : t('Show details')}
        </Link>
      </p>
    </>
  )
}

const placeOf = ({ namespace, set }: SlowOperation): string =>
  set === undefined || set === '' ? namespace : `${namespace}.${set}`
