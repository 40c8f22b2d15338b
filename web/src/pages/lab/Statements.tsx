import type { LabClaim, LabExperiment } from '../../api/types'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { Verdict } from './Verdict'

interface Props {
  statements: NonNullable<LabExperiment['published']['statements']>
  /** of the run that is shown, if there is one */
  claims: readonly LabClaim[]
}

/** What was published in words, beside what this machine's rows say of it. */
export function Statements({ statements, claims }: Props) {
  return (
    <Card title="Said and seen" aside="what was published, and what the rows of this run say of it" flush>
      <ScrollTable label="Said and seen">
        <thead>
          <tr>
            <th scope="col">published</th>
            <th scope="col">here</th>
          </tr>
        </thead>
        <tbody>
          {statements.map(({ says, claims: ids, judged = true }) => {
            const own = claims.filter(({ id }) => ids.includes(id))
            return (
              <tr key={says}>
                <td>
                  <span className="wrap">{says}</span>
                </td>
                <td>
                  {own.length === 0 && 'not measured yet'}
                  {own.map((claim) => (
                    <div key={claim.id} className="wrap">
                      {judged && <Verdict holds={claim.holds} />}{' '}
                      <span className="num">
                        {claim.value} {claim.unit}
                      </span>{' '}
                      <span className="mute">{judged ? claim.says : `the value of another claim: ${claim.says}`}</span>
                    </div>
                  ))}
                </td>
              </tr>
            )
          })}
        </tbody>
      </ScrollTable>
    </Card>
  )
}
