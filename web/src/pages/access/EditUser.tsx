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
      toast(`Changed ${name}`)
      onClose()
    },
    onSettled: () =>
      Promise.all([['users'], ['sessions'], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
  return (
    <Dialog title={`Change ${name}`} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) change.mutate()
        }}
      >
        <GrantList grants={drafts} onChange={setDrafts} />
        <CallerLimitFields draft={limits} onChange={setLimits} />
        <NewPasswordField label="New password (optional)" user={name} value={password} onChange={setPassword} />
        <div className="row">
          <Switch label="May sign in" checked={!disabled} onChange={(may) => setDisabled(!may)}>
            {disabled ? 'Cannot sign in' : 'May sign in'}
          </Switch>
        </div>
        <p className="mute">
          New roles hold at once. With a new password, or disabled, the user is signed out everywhere.
        </p>
        <Problem error={change.error} />
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={change.isPending} disabled={!legal}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
