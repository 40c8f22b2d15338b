import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeSlowSettings, clearSlowOperations } from '../../api/actions'
import type { SlowSettings } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { bytes, latency, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Switch } from '../../ui/Switch'
import { THRESHOLD_ERROR, thresholdOf } from './threshold'

interface Props {
  settings: SlowSettings
}

/** What is kept: the threshold, keys or not, and a button that removes all. */
export function SlowSettingsCard({ settings }: Props) {
  const changes = useMay()('changeSlowSettings')
  return (
    <Card
      title="What is kept"
      aside={`${plural(settings.kept, 'operation')}, ${bytes(settings.bytes)} of at most ${bytes(settings.mostBytes)}`}
    >
      {changes ? (
        <Form settings={settings} />
      ) : (
        <>
          <p>
            Operations that take at least {latency(settings.thresholdMs * 1e6)}, and the 16 slowest of each kind in the
            last hour. Keys and values of filters are {settings.keepKeys ? 'kept' : 'left out'}.
          </p>
          <RoleNeeded what="Changing this" operation="changeSlowSettings" />
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
      <TextField
        label="Threshold, in milliseconds"
        hint="The server keeps operations that take at least this long, and the 16 slowest of each kind in the last hour."
        error={thresholdMs === undefined ? THRESHOLD_ERROR : undefined}
        inputMode="decimal"
        value={text}
        onChange={setTyped}
      />
      <div className="row">
        <Switch
          label="Keep keys and values of filters"
          checked={settings.keepKeys}
          disabled={change.isPending}
          onChange={(keepKeys) => change.mutate({ keepKeys })}
        >
          Keep keys and values of filters
        </Switch>
      </div>
      <CurlLine method="PATCH" path="/api/v1/slow/settings" body={JSON.stringify({ thresholdMs })} />
      <Problem error={change.error ?? clear.error} />
      <div className="row end">
        <Button busy={clear.isPending} disabled={settings.kept === 0} onClick={() => clear.mutate()}>
          Remove all
        </Button>
        <Button
          type="submit"
          look="primary"
          busy={change.isPending}
          disabled={thresholdMs === undefined || thresholdMs === settings.thresholdMs}
        >
          Apply
        </Button>
      </div>
    </form>
  )
}
