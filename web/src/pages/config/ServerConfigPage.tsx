import { useQuery } from '@tanstack/react-query'
import { serverConfigQuery } from '../../api/server-config'
import { t } from '../../language/text'
import { Page } from '../../shell/Page'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { ServerSettings } from './ServerSettings'

/** The settings of the server. Administrators change those that a reload takes, and roll them back. */
export function ServerConfigPage() {
  const { data, error, refetch } = useQuery(serverConfigQuery())
  return (
    <Page title={t('Configuration')}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined ? error === null && <Skeleton lines={12} /> : <ServerSettings config={data} />}
    </Page>
  )
}
