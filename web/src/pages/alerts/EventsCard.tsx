import { stateWords } from '../../components/state-words'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { alertEventsQuery } from '../../api/queries'
import type { AlertEvent } from '../../api/types'
import { kindTone } from '../../components/alerts/alert-words'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Ago } from '../../ui/Time'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'
import { severityWords } from '../../components/api-words'

const deliveryTone = { waiting: 'accent', delivered: 'good', failed: 'bad', dropped: 'bad' } as const

/** What fired, ended or was tested, and how its notice was delivered. */
export function EventsCard() {
  const { data, error, refetch } = useQuery(alertEventsQuery())
  const rows = data?.items ?? []
  const { event } = useSearch({ from: '/alerts' })
  return (
    <Card title={t('History')} aside={t('the server keeps the last 1,000')} flush={rows.length > 0}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('Nothing has fired yet')}>{t('Alerts that fire, end or are tested appear here.')}</Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('History of alerts')}
          list="alert-history"
          noun={(n) => t('{n, plural, one {# event} other {# events}}', { n })}
          prefix="history"
          rows={rows}
          keyOf={({ id }) => id}
          current={event}
          columns={[
            { name: 'when', label: t('when'), sort: ({ at }) => at, cell: ({ at }) => <Ago time={at} /> },
            {
              name: 'what',
              label: t('what'),
              sort: ({ kind }) => kind,
              cell: ({ kind }) => <span className={`badge ${kindTone[kind]}`}>{stateWords(kind)}</span>,
            },
            { name: 'alert', label: t('alert'), cell: ({ text, said }) => serverText(text, said) },
            {
              name: 'severity',
              label: t('severity'),
              sort: ({ severity }) => severity,
              cell: ({ severity }) => severityWords(severity),
            },
            { name: 'notice', label: t('notice'), cell: (event) => <Notice event={event} /> },
          ]}
        />
      )}
    </Card>
  )
}

function Notice({ event: { delivery, muted } }: { event: AlertEvent }) {
  if (delivery === undefined) return <span className="mute">{muted ? t('muted') : t('none')}</span>
  const { state, attempts, message } = delivery
  return (
    <>
      <span className={`badge ${deliveryTone[state]}`}>{stateWords(state)}</span>
      {attempts > 1 && <span className="mute small"> {t('after {attempts} attempts', { attempts })}</span>}
      {message !== undefined && <div className="mute small">{message}</div>}
    </>
  )
}
