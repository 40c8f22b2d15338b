import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { updateToken } from '../../api/actions'
import type { ApiToken } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { CallerLimitFields } from './CallerLimitFields'
import { areLegal, draftOf, isSame, limitsOf } from './limits'
import { t } from '../../language/text'

/** Changes how much a token may ask for. */
export function EditToken({ token: { id, name, limits }, onClose }: { token: ApiToken; onClose: () => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(limits))
  const wanted = limitsOf(draft)
  const legal = areLegal(draft) && !isSame(wanted, limits)
  const change = useMutation({
    mutationFn: () => updateToken(id, { limits: wanted }),
    onSuccess: () => {
      toast(t('Changed {name}', { name }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  return (
    <Dialog title={t('Limits of {name}', { name })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) change.mutate()
        }}
      >
        <CallerLimitFields draft={draft} onChange={setDraft} />
        <p className="mute">{t('They hold from the next request on. What is empty is as in the configuration.')}</p>
        <CurlLine method="PATCH" path={`/api/v1/tokens/${id}`} body={JSON.stringify({ limits: wanted })} />
        <Problem error={change.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={change.isPending} disabled={!legal}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
