import { Button } from '../../ui/Button'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  /** generations */
  edited: string
  newer: string
  /** whether the edit can be compared */
  comparable: boolean
  onCompare: () => void
}

/** Says that somebody saved the record since the edit began. */
export function NewerNote({ edited, newer, comparable, onCompare }: Props) {
  return (
    <div className="note warn spread" role="status">
      <span>
        <Say
          text="<strong>Generation {newer} was saved meanwhile.</strong> You are editing generation {edited}."
          values={{ strong: (parts) => <strong>{parts}</strong>, newer, edited }}
        />
      </span>
      <Button small disabled={!comparable} onClick={onCompare}>
        {t('Compare versions')}
      </Button>
    </div>
  )
}
