import type { LabClaim, LabExperiment } from '../../api/types'
import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { Verdict } from './Verdict'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'

interface Props {
  statements: NonNullable<LabExperiment['published']['statements']>
  /** the claims of the shown run, if any */
  claims: readonly LabClaim[]
}

/** Published statements next to the claims of this run. */
export function Statements({ statements, claims }: Props) {
  return (
    <Card title={t('Published and measured')} aside={t('published statements, and what this run measured')} flush>
      <ScrollTable label={t('Published and measured')}>
        <thead>
          <tr>
            <th scope="col">{t('published')}</th>
            <th scope="col">{t('here')}</th>
          </tr>
        </thead>
        <tbody>
          {statements.map(({ says, claims: ids, judged = true }) => {
            const own = claims.filter(({ id }) => ids.includes(id))
            return (
              <tr key={says}>
                <td>
                  <span className="wrap">{serverText(says)}</span>
                </td>
                <td>
                  {own.length === 0 && t('not measured yet')}
                  {own.map((claim) => (
                    <div key={claim.id} className="wrap">
                      {judged && <Verdict holds={claim.holds} />}{' '}
                      <span className="num">
                        {claim.value} {claim.unit}
                      </span>{' '}
                      <span className="mute">
                        {judged
                          ? serverText(claim.says, claim.said)
                          : t('the value of another claim: {says}', { says: serverText(claim.says, claim.said) })}
                      </span>
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
