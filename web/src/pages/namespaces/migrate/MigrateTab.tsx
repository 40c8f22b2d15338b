import { useQuery } from '@tanstack/react-query'
import { migrationQuery } from '../../../api/queries'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { MigrationPanel } from './MigrationPanel'
import { TargetForm } from './TargetForm'

/** Takes a namespace to another engine or layout while it is used: the target, then how far that is. */
export function MigrateTab() {
  const namespace = useNamespace()
  const { name, migration } = namespace
  const { data, error, refetch } = useQuery({ ...migrationQuery(name), enabled: migration !== undefined })
  if (migration === undefined) return <TargetForm namespace={namespace} />
  if (data !== undefined) return <MigrationPanel migration={data} />
  return error === null ? (
    <Card>
      <Skeleton lines={6} />
    </Card>
  ) : (
    <Problem error={error} onRetry={() => void refetch()} />
  )
}
