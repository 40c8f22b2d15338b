import { useMemo } from 'react'
import type { DrawingProps } from './drawing-props'
import { LogChart, type Line } from './LogChart'
import { t } from '../../../language/text'

const here = [1, 3] as const

/** Duration of a build by rows: with one thread and the most threads here, and as published. */
export function ParallelIndexChart({ experiment, report }: DrawingProps) {
  const lines = useMemo(() => {
    const builds = report.rows.filter(({ kind }) => kind === 'build')
    const threads = [...new Set(builds.map((row) => Number(row['threads'])))].toSorted((a, b) => a - b)
    const shown = [...new Set([threads.at(0), threads.at(-1)])].filter((one) => one !== undefined)
    const published = experiment.published.rows.filter(({ what }) => what === 'index build')
    return [
      ...shown.map((those, at): Line => {
        const own = builds.filter((row) => row['threads'] === those)
        return {
          name: t('{those, plural, one {# thread} other {# threads}}', { those }),
          colour: here[at] ?? 1,
          points: own.map((row) => ({ x: Number(row['rows']), ms: Number(row['elapsedMs']) })),
        }
      }),
      {
        name: t('published, distributed'),
        colour: 2,
        points: published.map((row) => ({ x: Number(row['rows']), ms: Number(row['distributedMs']) })),
      } satisfies Line,
    ]
  }, [experiment, report])
  return <LogChart title={t('Building the index')} aside={t('elapsed against rows')} x="rows" y="build" lines={lines} />
}
