import { useState } from 'react'
import { clock, dateTime, day, moment } from '../../format'
import type { Draft } from '../../records/drafts'
import { Button } from '../../ui/Button'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

interface Props {
  draft: Draft
  onRestore: (draft: Draft) => void
  onDiscard: () => void
}

/** Offers what was typed before. The fields wait until the reader has decided, so that nothing is lost. */
export function DraftNote({ draft, onRestore, onDiscard }: Props) {
  const [today] = useState(() => day(Date.now()))
  const from =
    draft.base === undefined ? '' : t(', from generation {generation}', { generation: draft.base.generation })
  return (
    <div className="note spread" role="status">
      <span>
        <Tip text={dateTime(draft.at)}>
          <strong>
            {t('Unsaved draft of {at}', { at: day(draft.at) === today ? clock(draft.at, false) : moment(draft.at) })}
          </strong>
        </Tip>
        {from}
      </span>
      <span className="row">
        <Button small onClick={onDiscard}>
          {t('Discard')}
        </Button>
        <Button small look="primary" onClick={() => onRestore(draft)}>
          {t('Restore')}
        </Button>
      </span>
    </div>
  )
}
