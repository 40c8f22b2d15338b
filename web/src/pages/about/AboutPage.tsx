import { useQuery } from '@tanstack/react-query'
import { aboutQuery } from '../../api/about'
import { useMay } from '../../api/use-may'
import { here } from '../../base-path'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { t } from '../../language/text'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { AddedCard } from './AddedCard'
import { LicencesCard } from './LicencesCard'
import { StartCard } from './StartCard'
import { VersionsCard } from './VersionsCard'

/** What this server is: versions, what its gateway adds to requests, its last start, diagnostics and licences. */
export function AboutPage() {
  const { data, error, refetch } = useQuery(aboutQuery())
  return (
    <Page title={t('About')}>
      <Problem error={error} {...(error !== null && { onRetry: () => void refetch() })} />
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {data !== undefined && (
        <>
          <AddedCard added={data.added} />
          <div className="grid-2 top">
            <VersionsCard about={data} />
            <StartCard start={data.start} />
          </div>
        </>
      )}
      <DiagnosticsCard />
      <LicencesCard />
    </Page>
  )
}

function DiagnosticsCard() {
  const allowed = useMay()('getDiagnostics')
  return (
    <Card title={t('Diagnostics')} aside={t('for those who look into a fault: no data of records, and no secrets')}>
      <div className="stack">
        <p>
          {t(
            'One file has versions, settings, status, namespaces, the last jobs, slow operations, metrics and the end of the log.',
          )}
        </p>
        {allowed ? (
          <>
            <div>
              <a className="btn" href={here('/api/v1/diagnostics')} download="diagnostics.ndjson">
                {t('Download diagnostics')}
              </a>
            </div>
            <CurlLine method="GET" path="/api/v1/diagnostics" headers={{ Accept: 'application/x-ndjson' }} />
          </>
        ) : (
          <RoleNeeded what={t('Downloading them')} operation="getDiagnostics" />
        )}
      </div>
    </Card>
  )
}
