import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changePassword } from '../../api/access'
import type { Me } from '../../api/types'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { CodeField } from '../second-factor/CodeField'
import { isPassword } from './password'
import { NewPasswordField } from './NewPasswordField'
import { t } from '../../language/text'

/** Changes the password of the user who is signed in. */
export function ChangePassword({ me: { user, secondFactor }, onClose }: { me: Me; onClose: () => void }) {
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const [code, setCode] = useState('')
  const needsCode = secondFactor?.since !== undefined
  const legal = password !== '' && (!needsCode || code.trim() !== '') && isPassword(newPassword, user)
  const change = useMutation({
    mutationFn: () => changePassword({ password, newPassword, ...(needsCode && { code }) }),
    onSuccess: () => {
      toast(t('Changed the password'))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <Dialog title={t('Change password')} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) change.mutate()
        }}
      >
        <TextField
          label={t('Old password')}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          autoFocus
        />
        <NewPasswordField label={t('New password')} user={user} value={newPassword} onChange={setNewPassword} />
        {needsCode && <CodeField value={code} onChange={setCode} recovery />}
        <p className="mute">{t('You are signed out in all other browsers.')}</p>
        <Problem error={change.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={change.isPending} disabled={!legal}>
            {t('Change password')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
