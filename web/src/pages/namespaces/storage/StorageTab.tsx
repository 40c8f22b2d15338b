import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { pagesQuery } from '../../../api/queries'
import { useMay } from '../../../api/use-may'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { RangeControl } from '../../../components/RangeControl'
import { Streamed } from '../../../components/Streamed'
import { FramesView } from '../../../live/frames-view'
import { useRangeFeed } from '../../../live/use-range-feed'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Icon } from '../../../ui/Icon'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { AmplificationCard } from './AmplificationCard'
import { CacheTable } from './CacheTable'
import { CheckpointTable } from './CheckpointTable'
import { CompactButton } from './CompactButton'
import { pagesColumns } from './figures'
import { PageMapCard } from './PageMapCard'
import { PageTiles } from './PageTiles'
import { useReportBefore } from './reads'
import { StorageCharts } from './StorageCharts'
import { WhatIfCard } from './WhatIfCard'
import { serverText } from '../../../language/server-text'
import { t } from '../../../language/text'

/** The pages of a paged namespace: map, cache, log, checkpoints, and estimates for other page sizes. */
export function StorageTab() {
  const namespace = useNamespace()
  if (namespace.config.storage.engine !== 'paged')
    return (
      <Empty title={t('This namespace has no pages')}>
        {t('Its engine is {engine}.', { engine: namespace.config.storage.engine })}
      </Empty>
    )
  if (!isOpen(namespace))
    return (
      <Empty title={t('Its pages are not open')}>{serverText(namespace.stateReason ?? '', namespace.stateSaid)}</Empty>
    )
  return <StoragePanel key={namespace.name} name={namespace.name} />
}

const StoragePanel = memo(function StoragePanel({ name }: { name: string }) {
  const compacts = useMay()('startJob', { namespace: name })
  const [paused, setPaused] = useState(false)
  const { data: report, error, refetch } = useQuery({ ...pagesQuery(name), enabled: !paused })
  const before = useReportBefore(report)
  const { feed, error: missing, hasNow } = useRangeFeed(paused)
  const view = useMemo(() => new FramesView(feed, (frames) => pagesColumns(frames, name)), [feed, name])
  if (report === undefined)
    return error === null ? (
      <Card>
        <Skeleton lines={8} />
      </Card>
    ) : (
      <Problem error={error} onRetry={() => void refetch()} />
    )
  return (
    <>
      <div className="spread">
        <div className="row">
          <RangeControl />
          <Button small aria-pressed={paused} onClick={() => setPaused(!paused)}>
            <Icon name={paused ? 'play' : 'pause'} />
            {paused ? t('Resume') : t('Pause')}
          </Button>
          {compacts && <CompactButton name={name} />}
        </div>
        <span className="mute">{t('Figures and tables count since the namespace was opened.')}</span>
      </div>
      <Problem error={error ?? missing} />
      <PageTiles view={view} report={report} hasNow={hasNow} />
      <PageMapCard name={name} pageBytes={report.pageBytes} ringBytes={report.log.ringBytes} paused={paused} />
      <Streamed>
        <StorageCharts view={view} checkpoints={report.checkpoints} />
      </Streamed>
      <div className="grid-2 top">
        <CacheTable report={report} before={before} />
        <CheckpointTable checkpoints={report.checkpoints} />
      </div>
      <div className="grid-2 top">
        <AmplificationCard traffic={report.traffic} />
        <WhatIfCard name={name} pageBytes={report.pageBytes} paused={paused} />
      </div>
    </>
  )
})
