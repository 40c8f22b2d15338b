import { useQuery } from '@tanstack/react-query'
import { migrationQuery } from '../../../api/queries'
import { useMay } from '../../../api/use-may'
import { RoleNeeded } from '../../../components/access/RoleNeeded'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { MigrationPanel } from './MigrationPanel'
import { TargetForm } from './TargetForm'
import { t } from '../../../language/text'

/** Takes a namespace to another engine or layout while it is used: the target, then how far that is. */
export function MigrateTab() {
  const namespace = useNamespace()
  const { name, migration } = namespace
  const { data, error, refetch } = useQuery({ ...migrationQuery(name), enabled: migration !== undefined })
  const migrates = useMay()('migrateNamespace', { namespace: name })
  if (migration === undefined && migrates) return <TargetForm namespace={namespace} />
  if (migration === undefined)
    return (
      <Card>
        <Empty
          title={t('No migration is under way')}
          action={<RoleNeeded what={t('Starting one')} operation="migrateNamespace" />}
        >
          {t('A migration takes a namespace to another engine or layout while it is used.')}
        </Empty>
      </Card>
    )
  if (data !== undefined) return <MigrationPanel migration={data} />
  return error === null ? (
    <Card>
      <Skeleton lines={6} />
    </Card>
  ) : (
    <Problem error={error} onRetry={() => void refetch()} />
  )
}
