import { ScrollTable } from '../../../table/ScrollTable'
import { ms } from '../../scans/cost'
import type { PlanStep, PlanTerm } from './plan'
import { t, tIn } from '../../../language/text'

/** Characters of a term's value that are shown. */
const VALUE = 200

/** The steps of a plan as a table, parents first, with measured results if there are any. */
export function PlanSteps({ steps, analyzed }: { steps: readonly PlanStep[]; analyzed: boolean }) {
  return (
    <ScrollTable label={t('Steps of the plan')} caption={t('Steps of the plan, each above the steps that feed it')}>
      <thead>
        <tr>
          <th scope="col">{t('step')}</th>
          <th scope="col">{t('index')}</th>
          <th scope="col">{tIn('what a step works on', 'on')}</th>
          <th scope="col" className="right">
            {t('estimated')}
          </th>
          {analyzed && (
            <>
              <th scope="col" className="right">
                {t('actual')}
              </th>
              <th scope="col" className="right">
                {t('time')}
              </th>
              <th scope="col" className="right">
                {t('segments')}
              </th>
            </>
          )}
          <th scope="col">{t('terms')}</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step, at) => (
          <tr key={at}>
            <th scope="row" style={{ paddingLeft: 10 + step.depth * 14 }}>
              {step.depth > 0 && (
                <span className="mute" aria-hidden="true">
                  └{' '}
                </span>
              )}
              {step.node}
              {step.parent !== undefined && (
                <span className="visually-hidden"> {t('of {parent}', { parent: step.parent })}</span>
              )}
            </th>
            <td>{step.index === undefined ? '–' : <code>{step.index}</code>}</td>
            <td>{step.on === undefined ? '–' : <code>{step.on}</code>}</td>
            <td className="right">{step.estimated}</td>
            {analyzed && (
              <>
                <td className="right">{step.actual ?? '–'}</td>
                <td className="right">{step.ms === undefined ? '–' : ms(step.ms)}</td>
                <td className="right">{step.segments ?? '–'}</td>
              </>
            )}
            <td>{step.terms.length === 0 ? '–' : <Terms terms={step.terms} />}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

function Terms({ terms }: { terms: readonly PlanTerm[] }) {
  return (
    <ul className="plan-terms">
      {terms.map(({ path, value, estimated }, at) => (
        <li key={at}>
          <code>
            {path === '' ? '' : `${path} = `}
            {value.length > VALUE ? `${value.slice(0, VALUE)}…` : value}
          </code>{' '}
          <span className="mute">
            {'≈ '}
            {estimated}
          </span>
        </li>
      ))}
    </ul>
  )
}
