import type { Job, ScanPlan } from '../../api/types'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { costRows } from './cost'

/** What the last scan cost, beside what its plan had said. */
export function ScanCostCard({ plan, job }: { plan: ScanPlan; job: Job }) {
  const rows = costRows(plan, job)
  if (rows.length === 0) return null
  return (
    <Card title="Cost" aside="of the last scan, beside its plan" flush>
      <ScrollTable label="Cost">
        <thead>
          <tr>
            <td />
            <th scope="col" className="right">
              planned
            </th>
            <th scope="col" className="right">
              took
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
