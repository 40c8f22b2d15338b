import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { updateUser } from '../../api/access'
import type { User } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toast'
import { grantOf, isLegal } from './GrantFields'
import { CallerLimitFields } from './CallerLimitFields'
import { draftsOf, GrantList } from './GrantList'
import { areLegal, draftOf, isSame, limitsOf } from './limits'
import { NewPasswordField } from './NewPasswordField'
import { isPassword } from './password'
import { t } from '../../language/text'

/** Changes grants and password of a user, and whether they may sign in. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { name } = user
  const queries = useQueryClient()
  const [drafts, setDrafts] = useState(() => draftsOf(user.grants))
  const [limits, setLimits] = useState(() => draftOf(user.limits))
  const [disabled, setDisabled] = useState(user.disabled)
  const [password, setPassword] = useState('')
  const grants = drafts.map(grantOf)
  const patch = {
    ...(JSON.stringify(grants) !== JSON.stringify(user.grants) && { grants }),
    ...(disabled !== user.disabled && { disabled }),
    ...(!isSame(limitsOf(limits), user.limits) && { limits: limitsOf(limits) }),
    ...(password !== '' && { password }),
  }
  const isRight = drafts.every(isLegal) && areLegal(limits) && (password === '' || isPassword(password, name))
  const legal = Object.keys(patch).length > 0 && isRight
  const change = useMutation({
    mutationFn: () => updateUser(name, patch),
    onSuccess: () => {
      toast(t('Changed {name}', { name }))
      onClose()
    },
    onSettled: () =>
      Promise.all([['users'], ['sessions'], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
  return (
    <Dialog title={t('Change {name}', { name })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) change.mutate()
        }}
      >
        <GrantList grants={drafts} onChange={setDrafts} />
        <CallerLimitFields draft={limits} onChange={setLimits} />
        <NewPasswordField label={t('New password (optional)')} user={name} value={password} onChange={setPassword} />
        <div className="row">
          <Switch label={t('May sign in')} checked={!disabled} onChange={(may) => setDisabled(!may)}>
            {disabled ? t('Cannot sign in') : t('May sign in')}
          </Switch>
        </div>
        <p className="mute">
          {t('New roles hold at once. With a new password, or disabled, the user is signed out everywhere.')}
        </p>
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
