import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'

/** Shown where a page needs a namespace and there is none yet. */
export function NoNamespace({ toDo }: { toDo: string }) {
  return (
    <Card>
      <Empty
        title="No namespaces yet"
        action={
          <Link to="/namespaces/new" className="btn primary">
            Create a namespace
          </Link>
        }
      >
        A namespace holds records. It has its own storage engine and limits. Create one, then {toDo}.
      </Empty>
    </Card>
  )
}
