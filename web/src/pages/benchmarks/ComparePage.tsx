import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { comparisonQuery } from '../../api/queries'
import type { WorkloadComparison } from '../../api/types'
import { VerdictBadge } from '../../components/compare/VerdictBadge'
import { change, duration } from '../../format'
import { ratioWords } from '../../live/latency/words'
import { Page } from '../../shell/Page'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { canCompare } from './search'
import { ComparedPercentiles } from './RunPercentiles'
import { figureValue, figureWords, marginWords, runTitle, specWords, verdictWords } from './run-words'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** Compares runs with the first one, with a verdict per figure. */
export function ComparePage() {
  const { ids } = useSearch({ from: '/benchmarks/compare' })
  const enabled = canCompare(ids)
  const { data, error, refetch } = useQuery({ ...comparisonQuery(ids), enabled })
  return (
    <Page
      title={t('Compare runs')}
      controls={
        <Link to="/benchmarks" className="btn small">
          {t('All runs')}
        </Link>
      }
    >
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {!enabled && (
        <Card>
          <Empty
            title={t('Choose two to six runs')}
            action={
              <Link to="/benchmarks" className="btn primary">
                {t('Runs')}
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
      {data !== undefined && (
        <>
          <Comparison comparison={data} />
          <ComparedPercentiles runs={data.runs} />
        </>
      )}
    </Page>
  )
}

function Comparison({ comparison: { runs, figures } }: { comparison: WorkloadComparison }) {
  return (
    <Card title={t('Figures')} aside={t('± 99% confidence')} flush>
      <ScrollTable label={t('Comparison')} caption={t('Figures of the runs, compared with the first')}>
        <thead>
          <tr>
            <th scope="col">{t('figure')}</th>
            {runs.map((run) => (
              <th key={run.id} scope="col" className="right">
                <Tip text={specWords(run.spec)}>
                  <Link to="/benchmarks/$id" params={{ id: run.id }} className="link">
                    {runTitle(run)}
                  </Link>
                </Tip>
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
                    {figureValue(figure, cell.value)} <span className="mute">{marginWords(figure, cell)}</span>
                  </div>
                  <Said figure={figure} cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <p className="mute small" style={{ padding: '8px 14px 12px' }}>
        {t(
          '{figures} No difference: certainly below 5%; of percentiles from histograms 6.25%, the width of a bucket; of a share a factor of 1.25 of its misses.',
          { figures: percentilesWords(figures) },
        )}{' '}
        {t(
          'Runs of at least a minute are needed for a verdict, and longer ones if their seconds vary by more than 3%.',
        )}
      </p>
    </Card>
  )
}

/** What percentiles were compared by. */
function percentilesWords(figures: readonly Figure[]): string {
  if (figures.some(({ source }) => source === 'histograms'))
    return t('Percentiles come from the histograms of the runs.')
  return t('A run kept no histograms, so percentiles are means of seconds, known to 1 µs.')
}

type Figure = WorkloadComparison['figures'][number]
type Cell = Figure['runs'][number]

function Said({ figure, cell }: { figure: Figure; cell: Cell }) {
  const said = verdictWords[cell.verdict]
  if (said === 'baseline') return <span className="badge">{t('baseline')}</span>
  const isKnown = said === 'better' || said === 'worse'
  return (
    <>
      <VerdictBadge verdict={said}>
        {isKnown && cell.ratio === undefined && ` ${change(cell.difference / (figure.runs[0]?.value ?? 0))}`}
      </VerdictBadge>
      {cell.ratio !== undefined && <div className="num mute">{ratioWords(cell.ratio)}</div>}
      {cell.secondsNeeded !== undefined && (
        <div className="mute">
          {t('needs runs of {length}', { length: duration(cell.secondsNeeded, { whole: true }) })}
        </div>
      )}
    </>
  )
}
