import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { startJob } from '../../api/actions'
import { namespacesQuery } from '../../api/queries'
import { CurlLine } from '../../components/CurlLine'
import { requestBody } from '../../records/body'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { SelectField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { t } from '../../language/text'

interface Props {
  open: boolean
  onClose: () => void
  onStarted: (id: string) => void
}

const MIB = 1024 * 1024
const RATES = [16, 64, 256, 0]

/** Starts a scrub: a job that reads everything on the device of a namespace and lists damaged records. */
export function ScrubNamespace(props: Props) {
  return (
    <Dialog title={t('Scrub a device')} open={props.open} onClose={props.onClose}>
      <ScrubForm {...props} />
    </Dialog>
  )
}

function ScrubForm({ onClose, onStarted }: Props) {
  const { data } = useQuery(namespacesQuery())
  const devices = (data?.items ?? []).filter(({ config }) => config.storage.engine === 'device')
  const [named, setNamed] = useState<string>()
  const [rate, setRate] = useState(64)
  const ns = named ?? devices[0]?.name ?? ''
  const body = requestBody({ kind: 'scrub', namespace: ns, bytesPerSecond: rate * MIB }, {})
  const scrub = useMutation({ mutationFn: () => startJob(body), onSuccess: (job) => onStarted(job.id) })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        scrub.mutate()
      }}
    >
      <SelectField
        label={t('Namespace')}
        value={ns}
        choices={
          devices.length === 0
            ? [{ value: '', label: t('no device namespace') }]
            : devices.map(({ name }) => ({ value: name, label: name }))
        }
        onChange={setNamed}
      />
      <SelectField
        label={t('Throttle')}
        value={String(rate)}
        choices={RATES.map((mib) => ({
          value: String(mib),
          label: mib === 0 ? t('no throttle') : t('{mib} MiB/s', { mib }),
        }))}
        onChange={(next) => setRate(Number(next))}
      />
      <p className="mute">
        {t('Reads every stored block and lists damaged records in the job. Reads and writes continue.')}
      </p>
      <CurlLine method="POST" path="/api/v1/jobs" body={body} />
      <Problem error={scrub.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={scrub.isPending} disabled={ns === ''}>
          {t('Scrub')}
        </Button>
      </div>
    </form>
  )
}
