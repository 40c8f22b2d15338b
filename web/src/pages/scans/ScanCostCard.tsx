import type { Job, ScanPlan } from '../../api/types'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { costRows } from './cost'
import { t } from '../../language/text'

/** The cost of the last scan against its plan. */
export function ScanCostCard({ plan, job }: { plan: ScanPlan; job: Job }) {
  const rows = costRows(plan, job)
  if (rows.length === 0) return null
  return (
    <Card title={t('Cost')} aside={t('the last scan against its plan')} flush>
      <ScrollTable label={t('Cost')}>
        <thead>
          <tr>
            <td />
            <th scope="col" className="right">
              {t('planned')}
            </th>
            <th scope="col" className="right">
              {t('took')}
            </th>
          </tr>
        </thead>
        <tbody className="wrapped">
          {rows.map(({ what, planned, took }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td className="right mute">{planned === '' ? '–' : planned}</td>
              <td className="right">{took === '' ? '–' : took}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Card>
  )
}
