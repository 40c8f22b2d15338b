import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteRecord } from '../../records/client'
import type { RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'

/** Deletes the shown record after a confirmation, unless someone changed it meanwhile. */
export function DeleteRecord({
  ns,
  set,
  target,
  etag,
  onDeleted,
}: {
  ns: string
  set: string
  target: RecordKey
  etag: string
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteRecord(ns, set, target, etag),
    onSuccess: () => {
      toast(t('Record deleted'))
      void queries.invalidateQueries({ queryKey: ['records'] })
      void queries.invalidateQueries({ queryKey: ['namespaces'] })
      onDeleted()
    },
  })
  return (
    <div className="row">
      {asking ? (
        <>
          <Button look="danger primary" busy={remove.isPending} onClick={() => remove.mutate()}>
            {t('Delete record')}
          </Button>
          <Button onClick={() => setAsking(false)}>{t('Cancel')}</Button>
        </>
      ) : (
        <Button look="danger" onClick={() => setAsking(true)}>
          {t('Delete…')}
        </Button>
      )}
      <Problem error={remove.error} />
    </div>
  )
}
