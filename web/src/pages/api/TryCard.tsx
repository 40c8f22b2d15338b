import { useState } from 'react'
import { type Language, languages, snippetOf } from '../../api/snippets'
import { JsonField } from '../../editor/JsonField'
import { faultOf, faultWords } from '../../records/json-scan'
import { useCallPlace } from '../../components/use-curl'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { CodeBlock } from '../../ui/Copy'
import { AreaField, plainChoices, SelectField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { askedOf, missingOf, type Values, withExamples } from './asked'
import type { ApiOperation } from './operations'
import { ParameterFields } from './ParameterFields'
import { ReceivedCard } from './ReceivedCard'
import { useTrial } from './use-trial'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Forms of a body that can be typed. */
const isTyped = (type: string): boolean => /json|text|csv/.test(type)

/** Fills a call in, shows it for programs, and sends it with the session of the console. */
export function TryCard({ operation, allowed }: { operation: ApiOperation; allowed: boolean }) {
  const bodies = operation.bodies.filter(({ type }) => isTyped(type))
  const [values, setValues] = useState<Values>({})
  const [type, setType] = useState(bodies[0]?.type ?? '')
  const [texts, setTexts] = useState<Values>(() => Object.fromEntries(bodies.map((body) => [body.type, body.example])))
  const [language, setLanguage] = useState<Language>('curl')
  const [asking, setAsking] = useState(false)
  const place = useCallPlace()
  const trial = useTrial()
  const text = texts[type] ?? ''
  const body = bodies.length === 0 || text === '' ? undefined : { type, text }
  const rows = Math.min(16, Math.max(5, text.split('\n').length))
  const change = (next: string): void => setTexts({ ...texts, [type]: next })
  // A fault is told, and may be sent all the same: so one sees what the server says to it.
  const fault = /[/+]json$/.test(type) && text !== '' ? faultOf(text) : undefined
  const missing = missingOf(operation, values)
  const asked = askedOf(operation, values, body)
  const shown = askedOf(operation, withExamples(operation, values), body)
  const send = (): void => {
    setAsking(false)
    trial.send(asked)
  }
  return (
    <>
      <Card title={t('Try it')} aside={allowed && t('with your session, on this server')}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (operation.method === 'DELETE') setAsking(true)
            else send()
          }}
        >
          {operation.parameters.length > 0 && (
            <div className="grid-2">
              <ParameterFields parameters={operation.parameters} values={values} onChange={setValues} />
            </div>
          )}
          {bodies.length > 1 && (
            <SelectField
              label={t('Type of the body')}
              value={type}
              choices={plainChoices(bodies.map((known) => known.type))}
              onChange={setType}
            />
          )}
          {bodies.length > 0 &&
            (/[/+]json$/.test(type) ? (
              <JsonField
                label={t('Body')}
                rows={rows}
                value={text}
                onChange={change}
                error={fault && faultWords(text, fault)}
                fault={fault}
                guide={{ body: { operation: operation.id }, bins: [] }}
              />
            ) : (
              <AreaField label={t('Body')} rows={rows} value={text} onChange={change} />
            ))}
          {operation.bodies.length > 0 && bodies.length === 0 && (
            <p className="mute">
              {t('Its body is a file ({type}). Send it from a program.', { type: operation.bodies[0]?.type ?? '' })}
            </p>
          )}
          {allowed && (
            <div className="row">
              <Button type="submit" look="primary" disabled={missing.length > 0} busy={trial.running}>
                {t('Send {method}', { method: operation.method })}
              </Button>
              {trial.running && <Button onClick={trial.stop}>{t('Stop')}</Button>}
              {missing.length > 0 && <span className="mute">{t('Needs {value}.', { value: missing.join(', ') })}</span>}
            </div>
          )}
        </form>
      </Card>
      <Problem error={trial.error} />
      {trial.received !== undefined && <ReceivedCard received={trial.received} />}
      <Card
        title={t('The same call in a program')}
        end={
          <Segmented label={t('Language')} value={language} choices={plainChoices(languages)} onChange={setLanguage} />
        }
      >
        <CodeBlock label={t('The call in {language}', { language })} text={snippetOf(language, shown, place)} />
      </Card>
      <Confirm
        title={t('Send {method}', { method: operation.method })}
        open={asking}
        action={t('Send')}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>
          <Say
            text="This sends <code>{method} {path}</code> to this server."
            values={{ code: (parts) => <code className="wrap">{parts}</code>, method: asked.method, path: asked.path }}
          />
        </p>
      </Confirm>
    </>
  )
}
