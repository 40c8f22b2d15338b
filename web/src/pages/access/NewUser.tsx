import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createUser } from '../../api/access'
import { isName, nameRule } from '../../components/fields/name'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { grantOf, isLegal } from './GrantFields'
import { CallerLimitFields } from './CallerLimitFields'
import { draftsOf, GrantList } from './GrantList'
import { areLegal, draftOf, isSame, limitsOf } from './limits'
import { NewPasswordField } from './NewPasswordField'
import { isPassword } from './password'
import { t } from '../../language/text'

/** Makes a user with a first password. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [grants, setGrants] = useState(() => draftsOf())
  const [limits, setLimits] = useState(() => draftOf())
  const [password, setPassword] = useState('')
  const legal = isName(name) && isPassword(password, name) && grants.every(isLegal) && areLegal(limits)
  const create = useMutation({
    mutationFn: () =>
      createUser({
        name,
        grants: grants.map(grantOf),
        password,
        ...(!isSame(limitsOf(limits), {}) && { limits: limitsOf(limits) }),
      }),
    onSuccess: () => {
      toast(t('Created {name}', { name }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  })
  return (
    <Dialog title={t('New user')} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) create.mutate()
        }}
      >
        <TextField
          label={t('Name')}
          value={name}
          onChange={setName}
          autoFocus
          placeholder="ada"
          hint={t('It is shown where the user has changed something')}
          error={isName(name) || name === '' ? undefined : nameRule}
        />
        <GrantList grants={grants} onChange={setGrants} />
        <NewPasswordField label={t('Password')} user={name} value={password} onChange={setPassword} />
        <CallerLimitFields draft={limits} onChange={setLimits} />
        <p className="mute">{t('The user can change it after signing in.')}</p>
        <Problem error={create.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={!legal}>
            {t('Create user')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
