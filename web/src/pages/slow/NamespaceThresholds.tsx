import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeSlowSettings } from '../../api/actions'
import { namespacesQuery } from '../../api/queries'
import type { SlowSettings } from '../../api/types'
import { useMay } from '../../api/use-may'
import { CurlLine } from '../../components/CurlLine'
import { latency } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { plainChoices, SelectField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { THRESHOLD, thresholdOf } from './threshold'
import { t } from '../../language/text'

/** Thresholds of single namespaces, in place of that of all. */
export function NamespaceThresholds({ settings }: { settings: SlowSettings }) {
  const names = useQuery(namespacesQuery()).data?.items.map(({ name }) => name) ?? []
  const [chosen, setChosen] = useState<string>()
  const [typed, setTyped] = useState('')
  const client = useQueryClient()
  const changes = useMay()('changeSlowSettings')
  const change = useMutation({
    mutationFn: changeSlowSettings,
    onSuccess: () => client.invalidateQueries({ queryKey: ['slow'] }),
  })
  const name = chosen ?? names[0] ?? ''
  const thresholdMs = thresholdOf(typed)
  const own = Object.entries(settings.namespaces).toSorted(([a], [b]) => a.localeCompare(b))
  if (!changes && own.length === 0) return null
  return (
    <Card
      title={t('Thresholds of namespaces')}
      aside={t('all others have {thresholdMs}', { thresholdMs: latency(settings.thresholdMs * 1e6) })}
    >
      {own.length > 0 && (
        <ul className="list">
          {own.map(([namespace, ms]) => (
            <li key={namespace}>
              <span>
                {namespace} <b className="num">{latency(ms * 1e6)}</b>
              </span>
              {changes && (
                <Button
                  small
                  aria-label={t('Remove the threshold of {namespace}', { namespace })}
                  disabled={change.isPending}
                  onClick={() => change.mutate({ namespaces: { [namespace]: null } })}
                >
                  {t('Remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {changes && (
        <form
          className="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (thresholdMs !== undefined && name !== '')
              change.mutate({ namespaces: { [name]: thresholdMs } }, { onSuccess: () => setTyped('') })
          }}
        >
          <div className="grid-2">
            <SelectField label={t('Namespace')} value={name} choices={plainChoices(names)} onChange={setChosen} />
            <NumberField
              label={t('Threshold of the namespace, in milliseconds')}
              {...THRESHOLD}
              value={typed}
              onChange={setTyped}
            />
          </div>
          {thresholdMs !== undefined && (
            <CurlLine
              method="PATCH"
              path="/api/v1/slow/settings"
              body={JSON.stringify({ namespaces: { [name]: thresholdMs } })}
            />
          )}
          <Problem error={change.error} />
          <div className="row end">
            <Button
              type="submit"
              look="primary"
              busy={change.isPending}
              disabled={thresholdMs === undefined || name === '' || settings.namespaces[name] === thresholdMs}
            >
              {t('Set threshold')}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
