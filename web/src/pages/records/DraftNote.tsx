import { useState } from 'react'
import { clock, dateTime, day, moment } from '../../format'
import type { Draft } from '../../records/drafts'
import { Button } from '../../ui/Button'

interface Props {
  draft: Draft
  onRestore: (draft: Draft) => void
  onDiscard: () => void
}

/** Offers what was typed before. The fields wait until the reader has decided, so that nothing is lost. */
export function DraftNote({ draft, onRestore, onDiscard }: Props) {
  const [today] = useState(() => day(Date.now()))
  const from = draft.base === undefined ? '' : `, from generation ${draft.base.generation}`
  return (
    <div className="note spread" role="status">
      <span>
        <strong title={dateTime(draft.at)}>
          Unsaved draft of {day(draft.at) === today ? clock(draft.at, false) : moment(draft.at)}
        </strong>
        {from}
      </span>
      <span className="row">
        <Button small onClick={onDiscard}>
          Discard
        </Button>
        <Button small look="primary" onClick={() => onRestore(draft)}>
          Restore
        </Button>
      </span>
    </div>
  )
}
