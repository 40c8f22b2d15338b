import { Button } from '../../ui/Button'
import { t } from '../../language/text'

interface Props {
  shown: number
  /** what the rows are */
  what: string
  more: boolean
  busy: boolean
  onMore: () => void
}

/** Below a list that is read page by page: how much of it is there, and the way to older rows. */
export function MoreRows({ shown, what, more, busy, onMore }: Props) {
  if (!more) return null
  return (
    <div className="spread more">
      <span className="mute">{t('the newest {shown} {what}', { shown, what })}</span>
      <Button small busy={busy} onClick={onMore}>
        {t('Older')}
      </Button>
    </div>
  )
}
