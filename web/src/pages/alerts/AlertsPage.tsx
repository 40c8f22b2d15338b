import { ActionButton } from '../../components/access/ActionButton'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { alertsQuery } from '../../api/queries'
import { notable } from '../../components/alerts/alert-words'
import { AlertList } from '../../components/alerts/AlertList'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { EventsCard } from './EventsCard'
import { RuleDialog } from './RuleDialog'
import { RulesCard } from './RulesCard'
import { TargetsCard } from './TargetsCard'
import { WebhookCard } from './WebhookCard'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

/** What fires, the latency targets, the rules, their history, and where notices go. */
export function AlertsPage() {
  const { data, error, refetch } = useQuery(alertsQuery())
  const [editing, setEditing] = useState<{ id: string | undefined }>()
  const alerts = data?.items ?? []
  const shown = notable(alerts)
  return (
    <Page
      title={t('Alerts')}
      controls={
        <ActionButton operation="createAlertRule" look="primary" onClick={() => setEditing({ id: undefined })}>
          {t('New rule')}
        </ActionButton>
      }
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && data.problems.length > 0 && (
        <div className="note warn">
          <ul className="notices">
            {data.problems.map(({ code, message, said }) => (
              <li key={code}>{serverText(message, said)}</li>
            ))}
          </ul>
        </div>
      )}
      <Card title={t('Now')} aside={data === undefined ? undefined : t('{alerts} watched', { alerts: alerts.length })}>
        {data === undefined && error === null && <Skeleton lines={2} />}
        {data !== undefined && shown.length === 0 && <p>{t('No alert is firing, and all targets are met.')}</p>}
        {shown.length > 0 && <AlertList alerts={shown} />}
      </Card>
      <TargetsCard alerts={alerts} />
      <RulesCard alerts={alerts} onEdit={(id) => setEditing({ id })} />
      <WebhookCard isSet={data?.webhook} />
      <EventsCard />
      {editing !== undefined && <RuleDialog id={editing.id} onClose={() => setEditing(undefined)} />}
    </Page>
  )
}
