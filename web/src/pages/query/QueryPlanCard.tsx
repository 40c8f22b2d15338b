import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { explainQuery } from '../../api/explain'
import { useSettled } from '../../components/use-settled'
import { count, plural } from '../../format'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'

const methods: Record<string, string> = {
  'document-index': 'the document index',
  'range-index': 'the range index',
  'set-index': 'the set index',
  'set-column': 'the set column',
  all: 'every record',
}

interface Props {
  ns: string
  body: string
  /** why there is nothing to plan yet */
  problem: string | undefined
}

/** Which index would answer, and how many records it would look at. */
export function QueryPlanCard({ ns, body, problem }: Props) {
  const valid = problem === undefined
  const settled = useSettled(body)
  const { data, error } = useQuery({
    queryKey: ['plan', 'query', ns, settled],
    queryFn: () => explainQuery(ns, settled),
    enabled: valid && settled === body,
    placeholderData: keepPreviousData,
  })
  const indexed = data?.method === 'document-index' || data?.method === 'range-index'
  return (
    <Card title="Plan" aside="before it runs">
      {data === undefined && error === null && valid && <Skeleton lines={2} />}
      {valid && <Problem error={error} />}
      {!valid && <p className="mute">{problem}</p>}
      {data !== undefined && error === null && valid && (
        <div className="stack-small">
          <p>
            Asks <strong>{methods[data.method] ?? data.method}</strong>
            {data.index !== undefined && (
              <>
                {' '}
                <code>{data.index}</code>
              </>
            )}
            : about {count(data.estimatedCandidates)} candidates in {count(data.segments)} segment
            {data.segments === 1 ? '' : 's'}
            {data.terms !== undefined && `, ${plural(data.terms, 'term')}`}.
          </p>
          <p className="mute">{data.reason}</p>
          {!indexed && body.includes('"where"') && (
            <p>
              <Link to="/indexes" search={{ ns, create: true }}>
                Build an index
              </Link>{' '}
              <span className="mute">to ask fewer records.</span>
            </p>
          )}
        </div>
      )}
    </Card>
  )
}
