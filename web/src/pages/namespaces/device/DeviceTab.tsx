import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { deviceQuery } from '../../../api/queries'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { RangeControl } from '../../../components/RangeControl'
import { Streamed } from '../../../components/Streamed'
import { FramesView } from '../../../live/frames-view'
import { useRangeFeed } from '../../../live/use-range-feed'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Icon } from '../../../ui/Icon'
import { plainChoices, SmallSelect } from '../../../ui/inputs'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { DeviceCharts } from './DeviceCharts'
import { DiskTable } from './DiskTable'
import { deviceColumns } from './figures'
import { FailureNotes } from './FailureNotes'
import { MapCard } from './MapCard'
import { NowTiles } from './NowTiles'
import { serverText } from '../../../language/server-text'
import { t } from '../../../language/text'

/** The disks of a namespace: activity, queues and block map. */
export function DeviceTab() {
  const namespace = useNamespace()
  if (namespace.config.storage.engine !== 'device')
    return <Empty title={t('This namespace has no device')}>{t('Its records are in memory.')}</Empty>
  if (!isOpen(namespace))
    return (
      <Empty title={t('The device is not open')}>{serverText(namespace.stateReason ?? '', namespace.stateSaid)}</Empty>
    )
  return <DevicePanel key={namespace.name} name={namespace.name} />
}

const DevicePanel = memo(function DevicePanel({ name }: { name: string }) {
  const [chosen, setChosen] = useState<string>()
  const [paused, setPaused] = useState(false)
  const { data: report, error, refetch } = useQuery({ ...deviceQuery(name), enabled: !paused })
  const { feed, error: missing, hasNow } = useRangeFeed(paused)
  // The namespace may have been created again with other disks.
  const path = report?.disks.find((disk) => disk.path === chosen)?.path
  const view = useMemo(() => new FramesView(feed, (frames) => deviceColumns(frames, name, path)), [feed, name, path])
  if (report === undefined)
    return error === null ? (
      <Card>
        <Skeleton lines={8} />
      </Card>
    ) : (
      <Problem error={error} onRetry={() => void refetch()} />
    )
  const disks = report.disks.filter((disk) => path === undefined || disk.path === path)
  return (
    <>
      <div className="spread">
        <div className="row">
          {report.disks.length > 1 && (
            <SmallSelect
              label={t('Disk')}
              value={path ?? ''}
              choices={[
                {
                  value: '',
                  label: t('all {disks, plural, one {# disk} other {# disks}}', { disks: report.disks.length }),
                },
                ...plainChoices(report.disks.map((disk) => disk.path)),
              ]}
              onChange={(value) => setChosen(value === '' ? undefined : value)}
            />
          )}
          <RangeControl />
          <Button small aria-pressed={paused} onClick={() => setPaused(!paused)}>
            <Icon name={paused ? 'play' : 'pause'} />
            {paused ? t('Resume') : t('Pause')}
          </Button>
        </div>
        <span className="mute">
          {t(
            'Latency, queue depth and busy share are defined as in iostat, except that with several operations in flight latency ends when the thread reaps the completion.',
          )}
        </span>
      </div>
      <Problem error={error ?? missing} />
      <FailureNotes flush={report.flush} />
      <Streamed>
        <NowTiles view={view} path={path} report={report} hasNow={hasNow} isFresh={error === null} />
        <DeviceCharts view={view} />
      </Streamed>
      <DiskTable report={report} />
      <MapCard report={report} disks={disks} />
    </>
  )
})
