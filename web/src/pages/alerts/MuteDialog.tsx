import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { muteAlertRule } from '../../api/actions'
import type { AlertRule } from '../../api/types'
import { dateTime } from '../../format'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'

const HOUR_MS = 3_600_000
const spans = [
  { value: '1', label: t('1 hour') },
  { value: '8', label: t('8 hours') },
  { value: '24', label: t('1 day') },
  { value: '168', label: t('7 days') },
  { value: '', label: t('until a time…') },
] as const

/** Mutes a rule for a while, or until a time. */
export function MuteDialog({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const queries = useQueryClient()
  const [hours, setHours] = useState<(typeof spans)[number]['value']>('1')
  const [time, setTime] = useState('')
  const [openedAt] = useState(() => Date.now())
  const end = (): number => (hours === '' ? Date.parse(time) : Date.now() + Number(hours) * HOUR_MS)
  const legal = hours !== '' || Date.parse(time) > openedAt
  const mute = useMutation({
    mutationFn: () => muteAlertRule(rule.id, new Date(end()).toISOString()),
    onSuccess: ({ mutedUntil = '' }) => {
      toast(t('Muted {name} until {mutedUntil}', { name: rule.name, mutedUntil: dateTime(Date.parse(mutedUntil)) }))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  return (
    <Dialog title={t('Mute {name}', { name: rule.name })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          mute.mutate()
        }}
      >
        <SelectField label={t('How long')} value={hours} choices={spans} onChange={setHours} />
        {hours === '' && (
          <TextField
            label={t('Until')}
            type="datetime-local"
            value={time}
            onChange={setTime}
            error={time === '' || legal ? undefined : t('A time in the future')}
          />
        )}
        <p className="mute small">
          {t(
            'The server still evaluates the rule, and the health still counts it. If an alert still fires after that time, the server sends its notice then.',
          )}
        </p>
        <Problem error={mute.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={mute.isPending} disabled={!legal}>
            {t('Mute')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
