import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-may'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { RoleNeeded } from '../access/RoleNeeded'
import { t } from '../../language/text'

/** Shown where a page needs a namespace and there is none yet. */
export function NoNamespace({ toDo }: { toDo: string }) {
  return (
    <Card>
      <Empty
        title={t('No namespaces yet')}
        action={
          useMay()('createNamespace') ? (
            <Link to="/namespaces/new" className="btn primary">
              {t('Create a namespace')}
            </Link>
          ) : (
            <RoleNeeded what={t('Creating one')} operation="createNamespace" />
          )
        }
      >
        {t('A namespace holds records. It has its own storage engine and limits. Create one, then {toDo}.', { toDo })}
      </Empty>
    </Card>
  )
}
