import { useNavigate } from '@tanstack/react-router'
import { inPlace } from '../../search'
import { Button } from '../../ui/Button'
import { AlertsBell } from './AlertsBell'
import { ConnectionChip } from './ConnectionChip'
import { InstanceChip } from './InstanceChip'
import { t } from '../../language/text'

/** The end of the bar of a page on a wall: alerts, which server it is, the age of its figures, and the way out. */
export function KioskBar() {
  const navigate = useNavigate()
  return (
    <div className="global">
      <AlertsBell />
      <InstanceChip />
      <ConnectionChip />
      <Button
        small
        onClick={() => void navigate({ to: '.', search: (old) => ({ ...old, kiosk: undefined }), ...inPlace })}
      >
        {t('Leave kiosk mode')}
      </Button>
    </div>
  )
}
