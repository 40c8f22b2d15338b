import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { replaceQuery, saveQuery } from '../../api/actions'
import { ApiProblem } from '../../api/problem'
import { savedQueriesQuery } from '../../api/queries'
import type { SavedQuery } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'

interface Props {
  open: boolean
  ns: string
  text: string
  /** the saved query behind this draft */
  saved: SavedQuery | undefined
  onClose: () => void
  onSaved: (id: string) => void
}

/** Saves a request on the server under a name. */
export function SaveDialog({ open, ns, text, saved, onClose, onSaved }: Props) {
  return (
    <Dialog title={t('Save this query')} open={open} onClose={onClose}>
      <SaveForm ns={ns} text={text} saved={saved} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  )
}

function SaveForm({ ns, text, saved, onClose, onSaved }: Omit<Props, 'open'>) {
  const [name, setName] = useState(saved?.name ?? '')
  const queries = useQueryClient()
  const save = useMutation({
    /** `over`: the saved query to replace; unset: a new one */
    mutationFn: (over: SavedQuery | undefined) => {
      const body = { name: name.trim(), namespace: ns, request: text }
      return over === undefined ? saveQuery(body) : replaceQuery(over.id, body)
    },
    onSuccess: (kept) => {
      void queries.invalidateQueries({ queryKey: ['queries'] })
      toast(t('Saved as {name}', { name: kept.name }))
      onSaved(kept.id)
      onClose()
    },
  })
  const exists = save.error instanceof ApiProblem && save.error.code === 'query_exists'
  const namesake = useQuery({ ...savedQueriesQuery(), enabled: exists, staleTime: 0 }).data?.items.find(
    (query) => query.name === name.trim() && query.namespace === ns,
  )
  const ready = name.trim() !== '' && !save.isPending
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) save.mutate(saved)
      }}
    >
      <TextField label={t('Name')} value={name} maxLength={120} onChange={setName} autoFocus />
      <Problem error={save.error} />
      {exists && namesake !== undefined && (
        <p className="row">
          <Button disabled={!ready} onClick={() => save.mutate(namesake)}>
            {t('Replace the saved query {name}', { name: namesake.name })}
          </Button>
        </p>
      )}
      <div className="row end">
        {saved !== undefined && (
          <Button disabled={!ready} onClick={() => save.mutate(undefined)}>
            {t('Save as new')}
          </Button>
        )}
        <Button type="submit" look="primary" disabled={!ready} busy={save.isPending}>
          {saved === undefined ? t('Save') : t('Replace {name}', { name: saved.name })}
        </Button>
      </div>
    </form>
  )
}
