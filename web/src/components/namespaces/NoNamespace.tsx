import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-may'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { RoleNeeded } from '../access/RoleNeeded'

/** Shown where a page needs a namespace and there is none yet. */
export function NoNamespace({ toDo }: { toDo: string }) {
  return (
    <Card>
      <Empty
        title="No namespaces yet"
        action={
          useMay()('createNamespace') ? (
            <Link to="/namespaces/new" className="btn primary">
              Create a namespace
            </Link>
          ) : (
            <RoleNeeded what="Creating one" operation="createNamespace" />
          )
        }
      >
        A namespace holds records. It has its own storage engine and limits. Create one, then {toDo}.
      </Empty>
    </Card>
  )
}
