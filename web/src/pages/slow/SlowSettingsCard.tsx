import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeSlowSettings, clearSlowOperations } from '../../api/actions'
import type { SlowSettings } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { bytes, latency } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { Switch } from '../../ui/Switch'
import { THRESHOLD, thresholdOf } from './threshold'
import { t } from '../../language/text'
import { boundsWords } from '../../ui/number'

interface Props {
  settings: SlowSettings
}

/** What is kept: the threshold, keys or not, and a button that removes all. */
export function SlowSettingsCard({ settings }: Props) {
  const changes = useMay()('changeSlowSettings')
  return (
    <Card
      title={t('What is kept')}
      aside={t('{kept, plural, one {# operation} other {# operations}}, {bytes} of at most {mostBytes}', {
        kept: settings.kept,
        bytes: bytes(settings.bytes),
        mostBytes: bytes(settings.mostBytes),
      })}
    >
      {changes ? (
        <Form settings={settings} />
      ) : (
        <>
          <p>
            {t('Operations that take at least {threshold}, and the 16 slowest of each kind in the last hour.', {
              threshold: latency(settings.thresholdMs * 1e6),
            })}{' '}
            {settings.keepKeys
              ? t('Keys and values of filters are kept.')
              : t('Keys and values of filters are left out.')}
          </p>
          <RoleNeeded what={t('Changing this')} operation="changeSlowSettings" />
        </>
      )}
    </Card>
  )
}

function Form({ settings }: Props) {
  const [typed, setTyped] = useState<string>()
  const client = useQueryClient()
  const onSuccess = (): Promise<void> => client.invalidateQueries({ queryKey: ['slow'] })
  const change = useMutation({ mutationFn: changeSlowSettings, onSuccess })
  const clear = useMutation({ mutationFn: clearSlowOperations, onSuccess })
  const text = typed ?? String(settings.thresholdMs)
  const thresholdMs = thresholdOf(text)
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (thresholdMs !== undefined) change.mutate({ thresholdMs }, { onSuccess: () => setTyped(undefined) })
      }}
    >
      <NumberField
        label={t('Threshold, in milliseconds')}
        hint={t(
          'The server keeps operations that take at least this long, and the 16 slowest of each kind in the last hour.',
        )}
        error={thresholdMs === undefined ? boundsWords(THRESHOLD) : undefined}
        {...THRESHOLD}
        value={text}
        onChange={setTyped}
      />
      <div className="row">
        <Switch
          label={t('Keep keys and values of filters')}
          checked={settings.keepKeys}
          disabled={change.isPending}
          onChange={(keepKeys) => change.mutate({ keepKeys })}
        >
          {t('Keep keys and values of filters')}
        </Switch>
      </div>
      <CurlLine method="PATCH" path="/api/v1/slow/settings" body={JSON.stringify({ thresholdMs })} />
      <Problem error={change.error ?? clear.error} />
      <div className="row end">
        <Button busy={clear.isPending} disabled={settings.kept === 0} onClick={() => clear.mutate()}>
          {t('Remove all')}
        </Button>
        <Button
          type="submit"
          look="primary"
          busy={change.isPending}
          disabled={thresholdMs === undefined || thresholdMs === settings.thresholdMs}
        >
          {t('Apply')}
        </Button>
      </div>
    </form>
  )
}
