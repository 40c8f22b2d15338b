import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createToken } from '../../api/actions'
import { CurlLine } from '../../components/CurlLine'
import { isName, nameRule } from '../../components/fields/name'
import { Button } from '../../ui/Button'
import { CopyButton } from '../../ui/Copy'
import { Dialog } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { grantOf, isLegal } from './GrantFields'
import { CallerLimitFields } from './CallerLimitFields'
import { draftsOf, GrantList } from './GrantList'
import { areLegal, draftOf, isSame, limitsOf } from './limits'
import { t } from '../../language/text'

const DAY_MS = 86_400_000
const LIVES = [
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
  { value: '365', label: t('1 year') },
  { value: 'never', label: t('never') },
] as const
type Life = (typeof LIVES)[number]['value']

/** Makes a token, and shows it once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [openedMs] = useState(() => Date.now())
  const [name, setName] = useState('')
  const [grants, setGrants] = useState(() => draftsOf())
  const [limits, setLimits] = useState(() => draftOf())
  const [life, setLife] = useState<Life>('90')
  const legal = isName(name) && grants.every(isLegal) && areLegal(limits)
  const body = {
    name,
    grants: grants.map(grantOf),
    ...(!isSame(limitsOf(limits), {}) && { limits: limitsOf(limits) }),
    ...(life !== 'never' && { expiresAt: new Date(openedMs + Number(life) * DAY_MS).toISOString() }),
  }
  const create = useMutation({
    mutationFn: () => createToken(body),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const made = create.data?.token
  if (made !== undefined)
    return (
      <Dialog title={t('Token {name}', { name })} open onClose={onClose}>
        <div className="stack">
          <p>{t('The program sends this as Authorization: Bearer. It is shown only now.')}</p>
          <p className="row">
            <code>{made}</code>
            <CopyButton text={made} />
          </p>
          <div className="row end">
            <Button look="primary" onClick={onClose}>
              {t('Done')}
            </Button>
          </div>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={t('New token')} open onClose={onClose}>
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
          placeholder="nightly-load"
          hint={t('It is shown where the token has changed something')}
          error={isName(name) || name === '' ? undefined : nameRule}
        />
        <GrantList grants={grants} onChange={setGrants} />
        <SelectField label={t('Expires in')} value={life} choices={LIVES} onChange={setLife} />
        <CallerLimitFields draft={limits} onChange={setLimits} />
        <CurlLine method="POST" path="/api/v1/tokens" body={JSON.stringify(body)} />
        <Problem error={create.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending} disabled={!legal}>
            {t('Create token')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
