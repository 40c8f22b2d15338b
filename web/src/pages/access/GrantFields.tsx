import { isName, nameRule } from '../../components/fields/name'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/inputs'
import { type Role, roleWords } from './roles'
import { t } from '../../language/text'
import { roleNames } from '../../components/api-words'

/** A grant as it is typed: empty fields are unset. */
export interface GrantDraft {
  id: number
  role: Role
  namespace: string
  setPrefix: string
}

const roles = (Object.keys(roleWords) as Role[]).map((role) => ({ value: role, label: roleNames(role) }))
const takesPrefix = (role: Role) => role === 'reader' || role === 'writer'
const wrong = (name: string) => (name === '' || isName(name) ? undefined : nameRule)

export const isLegal = ({ namespace, setPrefix }: GrantDraft): boolean =>
  wrong(namespace) === undefined && wrong(setPrefix) === undefined

/** What the server is asked for. Fields that the role does not take are left out. */
export const grantOf = ({ role, namespace, setPrefix }: GrantDraft) => {
  if (role === 'admin' || namespace === '') return { role }
  return { role, namespace, ...(setPrefix !== '' && takesPrefix(role) && { setPrefix }) }
}

/** One role, and where it holds. */
export function GrantFields({
  grant,
  onChange,
  onRemove,
}: {
  grant: GrantDraft
  onChange: (grant: GrantDraft) => void
  onRemove: (() => void) | undefined
}) {
  const { role, namespace, setPrefix } = grant
  return (
    <fieldset className="grant stack">
      <legend className="visually-hidden">{t('Role')}</legend>
      <div className="row">
        <SelectField
          label={t('Role')}
          value={role}
          choices={roles}
          onChange={(value) => onChange({ ...grant, role: value })}
        />
        {role !== 'admin' && (
          <TextField
            label={t('Namespace')}
            value={namespace}
            onChange={(value) => onChange({ ...grant, namespace: value })}
            placeholder={t('the whole server')}
            error={wrong(namespace)}
          />
        )}
        {takesPrefix(role) && namespace !== '' && (
          <TextField
            label={t('Sets that begin with')}
            value={setPrefix}
            onChange={(value) => onChange({ ...grant, setPrefix: value })}
            placeholder={t('all sets')}
            error={wrong(setPrefix)}
          />
        )}
        {onRemove !== undefined && <Button onClick={onRemove}>{t('Remove')}</Button>}
      </div>
      <p className="mute">{t('{role}: {words}', { role: roleNames(role), words: roleWords[role] })}</p>
    </fieldset>
  )
}
