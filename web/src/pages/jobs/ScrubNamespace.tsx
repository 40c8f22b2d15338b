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

interface Props {
  open: boolean
  onClose: () => void
  onStarted: (id: string) => void
}

const MIB = 1024 * 1024
const RATES = [16, 64, 256, 0]

/** Reads all that a namespace has on its device, in the background, and names the records that are damaged. */
export function ScrubNamespace(props: Props) {
  return (
    <Dialog title="Scrub a device" open={props.open} onClose={props.onClose}>
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
        label="Namespace"
        value={ns}
        choices={
          devices.length === 0
            ? [{ value: '', label: 'none is on a device' }]
            : devices.map(({ name }) => ({ value: name, label: name }))
        }
        onChange={setNamed}
      />
      <SelectField
        label="At most"
        value={String(rate)}
        choices={RATES.map((mib) => ({
          value: String(mib),
          label: mib === 0 ? 'as fast as it goes' : `${mib} MiB a second`,
        }))}
        onChange={(next) => setRate(Number(next))}
      />
      <p className="mute">Every stored block is read; reads and writes go on. Damaged records are listed in the job.</p>
      <CurlLine method="POST" path="/api/v1/jobs" body={body} />
      <Problem error={scrub.error} />
      <div className="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={scrub.isPending} disabled={ns === ''}>
          Scrub
        </Button>
      </div>
    </form>
  )
}
