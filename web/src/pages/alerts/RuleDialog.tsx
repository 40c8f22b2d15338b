import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createAlertRule, replaceAlertRule } from '../../api/actions'
import { alertMetricsQuery, alertRuleQuery } from '../../api/queries'
import type { AlertRule } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { Skeleton } from '../../ui/Skeleton'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toast'
import { errorsOf, formOf, type RuleForm, specOf } from './rule-form'
import { TargetFields, ThresholdFields, WhereFields } from './RuleFields'
import { t } from '../../language/text'

interface Props {
  /** unset: a new rule */
  id: string | undefined
  onClose: () => void
}

/** Creates a rule, or changes the one with this id. */
export function RuleDialog({ id, onClose }: Props) {
  return (
    <Dialog title={id === undefined ? t('New alert rule') : t('Edit alert rule')} open onClose={onClose}>
      {id === undefined ? <Form onClose={onClose} /> : <Loaded id={id} onClose={onClose} />}
    </Dialog>
  )
}

function Loaded({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(alertRuleQuery(id))
  if (error !== null) return <Problem error={error} />
  return data === undefined ? <Skeleton lines={6} /> : <Form rule={data} onClose={onClose} />
}

function Form({ rule, onClose }: { rule?: AlertRule & { etag: string }; onClose: () => void }) {
  const queries = useQueryClient()
  const metrics = useQuery(alertMetricsQuery()).data?.items ?? []
  const [form, setForm] = useState(() => formOf(rule))
  // The version that the form began from: after a lost race, a second click must not win it.
  const [etag] = useState(rule?.etag ?? '*')
  const change = (part: Partial<RuleForm>): void => setForm((before) => ({ ...before, ...part }))
  const metric = metrics.find((one) => one.metric === form.metric)
  const errors = errorsOf(form, metric?.windowed === true)
  const spec = specOf(form, metric)
  const save = useMutation({
    mutationFn: () => (rule === undefined ? createAlertRule(spec) : replaceAlertRule(rule.id, spec, etag)),
    onSuccess: () => {
      toast(t('Saved {name}', { name: form.name }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <TextField label={t('Name')} value={form.name} onChange={(name) => change({ name })} maxLength={120} autoFocus />
      <Segmented
        label={t('Kind of rule')}
        value={form.kind}
        choices={[
          { value: 'threshold', label: t('Threshold') },
          { value: 'target', label: t('Latency target') },
        ]}
        onChange={(kind) => change({ kind })}
      />
      {form.kind === 'target' ? (
        <TargetFields form={form} errors={errors} onChange={change} />
      ) : (
        <ThresholdFields form={form} errors={errors} metrics={metrics} onChange={change} />
      )}
      {(form.kind === 'target' || metric?.scope !== 'server') && <WhereFields form={form} onChange={change} />}
      <SelectField
        label={t('Severity')}
        value={form.severity}
        choices={[
          { value: 'warning', label: t('warning: needs attention') },
          { value: 'critical', label: t('critical: the health is bad') },
        ]}
        onChange={(severity) => change({ severity })}
      />
      <Switch label={t('Evaluate this rule')} checked={form.enabled} onChange={(enabled) => change({ enabled })}>
        {form.enabled ? t('on') : t('off')}
      </Switch>
      <CurlLine
        method={rule === undefined ? 'POST' : 'PUT'}
        path={`/api/v1/alerts/rules${rule === undefined ? '' : `/${rule.id}`}`}
        body={JSON.stringify(spec)}
      />
      <Problem error={save.error} />
      <div className="row end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={Object.keys(errors).length > 0}>
          {t('Save')}
        </Button>
      </div>
    </form>
  )
}
