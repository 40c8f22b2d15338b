import type { Grant } from '../../api/types'
import { Button } from '../../ui/Button'
import { type GrantDraft, GrantFields } from './GrantFields'
import { placeWords, roleWords } from './roles'
import { t } from '../../language/text'
import { roleNames } from '../../components/api-words'
import { Tip } from '../../ui/Tip'

const newGrant = (id: number): GrantDraft => ({ id, role: 'reader', namespace: '', setPrefix: '' })

/** Grants to be changed; of somebody new without any. */
export const draftsOf = (grants: readonly Grant[] = []): GrantDraft[] =>
  grants.length === 0
    ? [newGrant(0)]
    : grants.map(({ role, namespace = '', setPrefix = '' }, id) => ({ id, role, namespace, setPrefix }))

/** Roles, and where each holds. */
export function GrantList({
  grants,
  onChange,
}: {
  grants: readonly GrantDraft[]
  onChange: (grants: GrantDraft[]) => void
}) {
  return (
    <>
      {grants.map((grant) => (
        <GrantFields
          key={grant.id}
          grant={grant}
          onChange={(changed) => onChange(grants.map((each) => (each.id === grant.id ? changed : each)))}
          onRemove={grants.length === 1 ? undefined : () => onChange(grants.filter(({ id }) => id !== grant.id))}
        />
      ))}
      <div className="row">
        <Button onClick={() => onChange([...grants, newGrant(Math.max(...grants.map(({ id }) => id)) + 1)])}>
          {t('Add a role')}
        </Button>
      </div>
      <p className="mute">{t('Each role may do all that the roles above it may.')}</p>
    </>
  )
}

/** The same in a table. */
export function GrantWords({ grants }: { grants: readonly Grant[] }) {
  return (
    <>
      {grants.map((grant) => (
        <Tip key={`${grant.role} ${placeWords(grant)}`} text={roleWords[grant.role]}>
          <div>
            {roleNames(grant.role)} <span className="mute">{placeWords(grant)}</span>
          </div>
        </Tip>
      ))}
    </>
  )
}
