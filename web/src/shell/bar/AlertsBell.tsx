import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { alertsQuery } from '../../api/queries'
import { notable } from '../../components/alerts/alert-words'
import { AlertList } from '../../components/alerts/AlertList'
import { useConnectionState, useLiveHealth } from '../../live/use-connection'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Icon } from '../../ui/Icon'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** How many alerts fire or targets are missed; opens the list of them. */
export function AlertsBell() {
  const [open, setOpen] = useState(false)
  const told = useLiveHealth()
  const isTold = useConnectionState() === 'live' && told !== undefined
  // The live stream says how many there are. The list is read while it is shown.
  const { data, error } = useQuery({ ...alertsQuery(), enabled: open || !isTold })
  const health = isTold ? told : data?.health
  const wrong = health?.reasons.length ?? 0
  const alerts = notable(data?.items ?? [])
  const name =
    health === undefined
      ? t('Alerts: not known')
      : wrong === 0
        ? t('Alerts: none')
        : `Alerts: ${t('{wrong, plural, one {# problem} other {# problems}}', { wrong })}`
  const close = (): void => setOpen(false)
  return (
    <>
      <Tip text={name}>
        <Button look="quiet" aria-label={name} onClick={() => setOpen(true)}>
          <Icon name="bell" />
          {wrong > 0 && <span className={`badge num ${health?.tone === 'bad' ? 'bad' : 'warn'}`}>{wrong}</span>}
        </Button>
      </Tip>
      <Dialog title={t('Alerts')} open={open} onClose={close}>
        <div className="stack">
          {data === undefined ? (
            <p className="mute">{error === null ? t('Reading the alerts.') : t('The alerts could not be read.')}</p>
          ) : alerts.length === 0 ? (
            <p>{t('No alert is firing, and all targets are met.')}</p>
          ) : (
            <AlertList alerts={alerts} />
          )}
          <div className="row end">
            <Link to="/alerts" className="btn primary" onClick={close}>
              {t('Rules and history')}
            </Link>
          </div>
        </div>
      </Dialog>
    </>
  )
}
