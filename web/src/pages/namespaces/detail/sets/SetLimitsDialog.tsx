import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { limitSet } from '../../../../api/actions'
import type { RecordSet } from '../../../../api/types'
import { CurlLine } from '../../../../components/CurlLine'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { bytes, count } from '../../../../format'
import { Button } from '../../../../ui/Button'
import { Dialog } from '../../../../ui/Dialog'
import { NumberField } from '../../../../ui/NumberField'
import { Problem } from '../../../../ui/Problem'
import { toast } from '../../../../ui/toast'
import { t } from '../../../../language/text'
import { Say } from '../../../../language/Say'

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
      toast(t('Limits of {name} saved', { name: set.name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Limits of {name}', { name: set.name })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <NumberField
          label={t('Maximum records')}
          value={records}
          onChange={setRecords}
          placeholder={t('no limit')}
          hint={t('It has {records} now', { records: count(set.records) })}
          error={legal(records) ? undefined : t('A whole number')}
        />
        <NumberField
          label={t('Maximum bytes')}
          value={size}
          onChange={setSize}
          placeholder={t('no limit')}
          hint={
            size === '' || !legal(size)
              ? t('It has {bytes} now', { bytes: bytes(set.bytes) })
              : t('{size}; it has {bytes} now', { size: bytes(Number(size)), bytes: bytes(set.bytes) })
          }
          error={legal(size) ? undefined : t('A whole number')}
        />
        <p className="mute small">
          <Say text="A write that would exceed a limit is refused with <code>set_quota</code>. Records already in the set stay." />
        </p>
        <CurlLine
          method="PATCH"
          path={`/api/v1/namespaces/${encodeURIComponent(ns)}/sets/${encodeURIComponent(set.name)}`}
          body={JSON.stringify({ limits })}
        />
        <Problem error={save.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={!legal(records) || !legal(size)}>
            {t('Apply')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
