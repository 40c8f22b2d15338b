import type { DeviceReport, DiskReport } from '../../../api/types'
import { useChartTheme } from '../../../charts/theme'
import { bytes, share } from '../../../format'
import { Card } from '../../../ui/Card'
import { cellSize, parts, totals, wholeOf } from './block-map'
import { MapCanvas } from './MapCanvas'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

const HEIGHT = 260
const HEIGHT_OF_MANY = 110

/** The write blocks of the disks: live, dead and free bytes. */
export function MapCard({ report, disks }: { report: DeviceReport; disks: readonly DiskReport[] }) {
  const { blockBytes } = report
  const colours = useChartTheme()
  const maps = disks.flatMap(({ path, map }) => (map === undefined ? [] : [{ path, map }]))
  const all = maps.map(({ map }) => map)
  const held = totals(all, blockBytes)
  const grows = disks.some(({ capacityBytes }) => capacityBytes === 0)
  const whole = Math.max(1, wholeOf(held))
  return (
    <Card title={t('Write blocks')} aside={`${cellSize(all)}${grows ? t('; the file grows with use') : ''}`}>
      <div className="with-side">
        <div className="stack-small">
          {maps.map(({ path, map }) => (
            <div key={path}>
              {maps.length > 1 && <code>{path}</code>}
              <MapCanvas
                label={t('Map of {path}', { path })}
                map={map}
                blockBytes={blockBytes}
                height={maps.length > 2 ? HEIGHT_OF_MANY : HEIGHT}
              />
            </div>
          ))}
        </div>
        <ul className="legend-list" aria-label={t('What the write blocks hold')}>
          {parts
            .filter(({ key }) => held[key] > 0 || key === 'live' || key === 'dead' || key === 'free')
            .map(({ key, label, says, colour }) => (
              <li key={key}>
                <i style={{ background: colours[colour] }} aria-hidden="true" />
                <Tip text={says}>
                  <span>{label}</span>
                </Tip>
                <span className="num">
                  {bytes(held[key])}
                  {' · '}
                  {share(held[key] / whole)}
                </span>
              </li>
            ))}
        </ul>
      </div>
    </Card>
  )
}
