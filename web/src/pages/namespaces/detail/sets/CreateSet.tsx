import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createSet } from '../../../../api/actions'
import type { Namespace } from '../../../../api/types'
import { CurlLine } from '../../../../components/CurlLine'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { can } from '../../../../components/namespaces/can'
import { Button } from '../../../../ui/Button'
import { Dialog } from '../../../../ui/Dialog'
import { TextField } from '../../../../ui/inputs'
import { Problem } from '../../../../ui/Problem'
import { toast } from '../../../../ui/toast'
import { t } from '../../../../language/text'

interface Props {
  namespace: Namespace
  open: boolean
  onClose: () => void
}

/** Creates a set. Only needed for a distribution bin, which must be set before the first record. */
export function CreateSet({ namespace, open, onClose }: Props) {
  const { name: ns } = namespace
  const refresh = useRefreshNamespaces()
  const [name, setName] = useState('')
  const [bin, setBin] = useState('')
  const [index, setIndex] = useState(false)
  const body = { name, ...(bin !== '' && { distributionBin: bin }), ...(index && { index }) }
  const create = useMutation({
    mutationFn: () => createSet(ns, body),
    onSuccess: () => {
      refresh()
      toast(t('Set {name} is ready', { name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Create a set')} open={open} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          label={t('Name')}
          value={name}
          onChange={setName}
          mono
          required
          autoFocus
          placeholder={t('events')}
        />
        {can(namespace, 'segments') && (
          <TextField
            label={t('Distribution bin')}
            value={bin}
            onChange={setBin}
            mono
            placeholder={t('none')}
            hint={t(
              "Records with the same value in this bin share a segment. A query with that value reads one segment instead of all. Fixed for the set's life.",
            )}
          />
        )}
        <label className="check">
          <input type="checkbox" checked={index} onChange={(event) => setIndex(event.target.checked)} />
          <span>{t('Build a set index')}</span>
        </label>
        <CurlLine
          method="POST"
          path={`/api/v1/namespaces/${encodeURIComponent(ns)}/sets`}
          body={JSON.stringify(body)}
        />
        <Problem error={create.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={name === ''}>
            {t('Create set')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
