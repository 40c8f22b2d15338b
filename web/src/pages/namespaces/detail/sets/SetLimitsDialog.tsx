import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { limitSet } from '../../../../api/actions'
import type { RecordSet } from '../../../../api/types'
import { CurlLine } from '../../../../components/CurlLine'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { bytes, count } from '../../../../format'
import { Button } from '../../../../ui/Button'
import { Dialog } from '../../../../ui/Dialog'
import { TextField } from '../../../../ui/inputs'
import { Problem } from '../../../../ui/Problem'
import { toast } from '../../../../ui/toast'

const legal = (text: string): boolean => text === '' || /^\d{1,15}$/.test(text)
const shown = (limit: number | undefined): string => (limit === undefined || limit === 0 ? '' : String(limit))

/** Changes the limits of a set. */
export function SetLimitsDialog({ ns, set, onClose }: { ns: string; set: RecordSet; onClose: () => void }) {
  const refresh = useRefreshNamespaces()
  const [records, setRecords] = useState(shown(set.limits.maxRecords))
  const [size, setSize] = useState(shown(set.limits.maxBytes))
  const limits = { maxRecords: Number(records), maxBytes: Number(size) }
  const save = useMutation({
    mutationFn: () => limitSet(ns, set.name, limits),
    onSuccess: () => {
      refresh()
      toast(`Limits of ${set.name} saved`)
      onClose()
    },
  })
  return (
    <Dialog title={`Limits of ${set.name}`} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField
          label="Maximum records"
          inputMode="numeric"
          mono
          value={records}
          onChange={setRecords}
          placeholder="no limit"
          hint={`It has ${count(set.records)} now`}
          error={legal(records) ? undefined : 'A whole number'}
        />
        <TextField
          label="Maximum bytes"
          inputMode="numeric"
          mono
          value={size}
          onChange={setSize}
          placeholder="no limit"
          hint={
            size === '' || !legal(size)
              ? `It has ${bytes(set.bytes)} now`
              : `${bytes(Number(size))}; it has ${bytes(set.bytes)} now`
          }
          error={legal(size) ? undefined : 'A whole number'}
        />
        <p className="mute small">
          A write that would exceed a limit is refused with <code>set_quota</code>. Records already in the set stay.
        </p>
        <CurlLine
          method="PATCH"
          path={`/api/v1/namespaces/${encodeURIComponent(ns)}/sets/${encodeURIComponent(set.name)}`}
          body={JSON.stringify({ limits })}
        />
        <Problem error={save.error} />
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={!legal(records) || !legal(size)}>
            Apply
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
