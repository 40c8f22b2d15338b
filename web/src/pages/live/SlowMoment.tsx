import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { slowQuery } from '../../api/queries'
import type { SlowOperation } from '../../api/types'
import { useLinked, type ChartLink } from '../../charts/card/link'
import type { Range } from '../../charts/spec/spec'
import { useSettled } from '../../components/use-settled'
import { count, latency } from '../../format'
import { isAmong } from '../../live/filter'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { OPERATIONS } from '../slow/search'
import { mainPart } from '../slow/split'

const SHOWN = 5
/** The frame of a second may end a little later than the second. */
const LATE_MS = 500

interface Props {
  /** keeps the selected span */
  link: ChartLink
  namespace: string | undefined
  op: string | undefined
}

/** The slow operations that ended in the selected span. */
export function SlowMoment({ link, namespace, op }: Props) {
  const selection = useSettled(useLinked(link, (state) => state.selection))
  return (
    <Card title="Slow operations">
      {selection === undefined ? (
        <p className="mute small">Click on a chart to see the slow operations of that moment.</p>
      ) : (
        <Moment range={selection} namespace={namespace} op={op} />
      )}
    </Card>
  )
}

function Moment({ range, namespace: ns, op }: { range: Range } & Omit<Props, 'link'>) {
  const span = { ns, from: range.from, to: range.to + LATE_MS }
  const { data, error, refetch } = useQuery(slowQuery({ ...span, group: 'none', sort: 'slowest' }))
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />
  const found = data?.items.filter((item) => isAmong(op, item.op))
  if (found === undefined) return null
  if (found.length === 0) return <p className="mute small">None of this span is kept.</p>
  return (
    <>
      <ul className="stack small">
        {found.slice(0, SHOWN).map((item) => (
          <li key={item.id}>
            <b>{latency(item.durationMs * 1e6)}</b> {item.op} {placeOf(item)}
            <span className="mute">, mostly {mainPart(item.split)}</span>
          </li>
        ))}
      </ul>
      <p className="small">
        <Link to="/slow" search={{ ...span, op: OPERATIONS.find((known) => known === op), sort: 'slowest' }}>
          {found.length > SHOWN ? `Show all ${count(found.length)}` : 'Show details'}
        </Link>
      </p>
    </>
  )
}

const placeOf = ({ namespace, set }: SlowOperation): string =>
  set === undefined || set === '' ? namespace : `${namespace}.${set}`
