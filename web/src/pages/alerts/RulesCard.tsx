import { NamespaceOf } from '../../components/namespaces/NamespaceOf'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { testAlertRule, unmuteAlertRule } from '../../api/actions'
import { alertMetricsQuery, alertRulesQuery } from '../../api/queries'
import type { Alert, AlertRule } from '../../api/types'
import { useMay } from '../../api/use-may'
import { dateTime } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Empty } from '../../ui/Empty'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'
import { MuteDialog } from './MuteDialog'
import { RemoveRule } from './RemoveRule'
import { conditionWords } from './rule-form'
import { t } from '../../language/text'
import { severityWords } from '../../components/api-words'
import { ruleName } from '../../components/alerts/alert-words'

interface Props {
  alerts: readonly Alert[]
  onEdit: (id: string) => void
}

/** The rules, with what they watch and how to change, mute and try them. */
export function RulesCard({ alerts, onEdit }: Props) {
  const { data, error, refetch } = useQuery(alertRulesQuery())
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['alerts'] })
  const [muting, setMuting] = useState<AlertRule>()
  const [removing, setRemoving] = useState<AlertRule>()
  const test = useMutation({
    mutationFn: testAlertRule,
    onSuccess: ({ rule, delivery }) =>
      toast(
        delivery === undefined
          ? t('Tested {rule}. There is no webhook to send to', { rule })
          : t('Sending a test of {rule}', { rule }),
      ),
    onSettled: refresh,
  })
  const unmute = useMutation({ mutationFn: unmuteAlertRule, onSettled: refresh })
  const metrics = useQuery(alertMetricsQuery()).data?.items ?? []
  const metricOf = ({ threshold }: AlertRule) => metrics.find(({ metric }) => metric === threshold?.metric)
  const changes = useMay()('replaceAlertRule')
  const rows = data?.items ?? []
  const actions = (rule: AlertRule) => (
    <div className="row">
      <Button small aria-label={t('Edit {name}', { name: rule.name })} onClick={() => onEdit(rule.id)}>
        {t('Edit…')}
      </Button>
      <Button small aria-label={t('Test {name}', { name: rule.name })} onClick={() => test.mutate(rule.id)}>
        {t('Test')}
      </Button>
      {rule.mutedUntil === undefined ? (
        <Button small aria-label={t('Mute {name}', { name: rule.name })} onClick={() => setMuting(rule)}>
          {t('Mute…')}
        </Button>
      ) : (
        <Button small aria-label={t('Unmute {name}', { name: rule.name })} onClick={() => unmute.mutate(rule.id)}>
          {t('Unmute')}
        </Button>
      )}
      <Button
        small
        look="danger"
        aria-label={t('Delete {name}', { name: rule.name })}
        onClick={() => setRemoving(rule)}
      >
        {t('Delete…')}
      </Button>
    </div>
  )
  return (
    <Card title={t('Rules')} aside={t('evaluated once per second')} flush={rows.length > 0}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Problem error={test.error ?? unmute.error} />
      {data === undefined && error === null && <Skeleton lines={5} height={22} />}
      {data !== undefined && rows.length === 0 && (
        <Empty title={t('No rules')}>
          {t('A rule watches a metric or a latency target, and fires when it is missed.')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('Rules')}
          list="rules"
          noun={(n) => t('{n, plural, one {# rule} other {# rules}}', { n })}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'name',
              label: t('name'),
              sort: ({ name }) => name,
              cell: ({ name }) => <strong>{ruleName(name)}</strong>,
            },
            { name: 'condition', label: t('condition'), cell: (rule) => conditionWords(rule, metricOf(rule)) },
            {
              name: 'severity',
              label: t('severity'),
              sort: ({ severity }) => severity,
              cell: ({ severity }) => severityWords(severity),
            },
            {
              name: 'namespace',
              label: t('namespace'),
              cell: (rule) =>
                rule.namespace === undefined ? (
                  <span className="mute">{metricOf(rule)?.scope === 'server' ? '–' : t('each')}</span>
                ) : (
                  <NamespaceOf namespace={rule.namespace} former={rule.former} />
                ),
            },
            { name: 'state', label: t('state'), cell: (rule) => <RuleState rule={rule} alerts={alerts} /> },
            ...(changes ? [{ name: 'actions', label: t('actions'), actions: true, cell: actions }] : []),
          ]}
        />
      )}
      {muting !== undefined && <MuteDialog rule={muting} onClose={() => setMuting(undefined)} />}
      {removing !== undefined && (
        <RemoveRule id={removing.id} metrics={metrics} onClose={() => setRemoving(undefined)} />
      )}
    </Card>
  )
}

function RuleState({ rule, alerts }: { rule: AlertRule; alerts: readonly Alert[] }) {
  const own = alerts.filter(({ ruleId }) => ruleId === rule.id)
  const firing = own.filter(({ state }) => state === 'firing').length
  return (
    <>
      {rule.enabled === false ? (
        <span className="badge">{t('off')}</span>
      ) : firing > 0 ? (
        <span className="badge bad">{firing === 1 ? t('firing') : t('{firing} firing', { firing })}</span>
      ) : own.some(({ target }) => target?.missed === true) ? (
        <span className="badge bad">{t('target missed')}</span>
      ) : (
        <span className="badge good">{own.length === 0 ? t('nothing to watch') : t('ok')}</span>
      )}
      {rule.mutedUntil !== undefined && (
        <div className="mute small">
          {t('muted until {mutedUntil}', { mutedUntil: dateTime(Date.parse(rule.mutedUntil)) })}
        </div>
      )}
    </>
  )
}
