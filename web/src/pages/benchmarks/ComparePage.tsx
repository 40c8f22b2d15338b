import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { comparisonQuery } from '../../api/queries'
import type { WorkloadComparison } from '../../api/types'
import { change } from '../../format'
import { Page } from '../../shell/Page'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { canCompare } from './search'
import { figureValue, figureWords, runTitle, specWords, verdictTone, verdictWords } from './run-words'

/** Compares runs with the first one, with a verdict per figure. */
export function ComparePage() {
  const { ids } = useSearch({ from: '/benchmarks/compare' })
  const enabled = canCompare(ids)
  const { data, error, refetch } = useQuery({ ...comparisonQuery(ids), enabled })
  return (
    <Page
      title="Compare runs"
      controls={
        <Link to="/benchmarks" className="btn small">
          All runs
        </Link>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {!enabled && (
        <Card>
          <Empty
            title="Choose two to six runs"
            action={
              <Link to="/benchmarks" className="btn primary">
                Runs
              </Link>
            }
          />
        </Card>
      )}
      {enabled && data === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {data !== undefined && <Comparison comparison={data} />}
    </Page>
  )
}

function Comparison({ comparison: { runs, figures } }: { comparison: WorkloadComparison }) {
  return (
    <Card
      title="Means over the seconds"
      aside="± 99% confidence; less than 5%, or half a point of a share, counts as no difference"
      flush
    >
      <ScrollTable label="Comparison" caption="Figures of the runs, compared with the first">
        <thead>
          <tr>
            <th scope="col">figure</th>
            {runs.map((run) => (
              <th key={run.id} scope="col" className="right">
                <Link to="/benchmarks/$id" params={{ id: run.id }} className="link" title={specWords(run.spec)}>
                  {runTitle(run)}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <tr key={figure.figure}>
              <td>{figureWords[figure.figure]}</td>
              {figure.runs.map((cell, index) => (
                <td key={runs[index]?.id} className="right">
                  <div className="num">
                    {figureValue(figure, cell.mean)}{' '}
                    <span className="mute">± {figureValue(figure, Math.max(0, cell.high - cell.mean))}</span>
                  </div>
                  <span className={`badge ${verdictTone[cell.verdict]}`}>
                    {verdictWords[cell.verdict]}
                    {(cell.verdict === 'better' || cell.verdict === 'worse') &&
                      ` ${relative(figure, cell.difference, figure.runs[0]?.mean ?? 0)}`}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Card>
  )
}

function relative({ unit }: { unit: string }, difference: number, base: number): string {
  return unit === '%' ? `${difference > 0 ? '+' : ''}${difference.toFixed(2)} points` : change(difference / base)
}
