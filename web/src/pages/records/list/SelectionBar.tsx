import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../../api/use-may'
import { saveFile } from '../../../components/save-file'
import { count, plural } from '../../../format'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import { exportEach } from './bulk'
import { DeleteMany } from './DeleteMany'
import { EditBin } from './EditBin'
import type { BulkState } from './use-bulk'
import { MOST_SELECTED, type Selection } from './use-selection'

interface Props {
  ns: string
  set: string
  selection: Selection
  /** number of records that are loaded */
  loaded: number
}

/** What can be done with the selected records. It floats above the last rows, so that nothing moves. */
export function SelectionBar({ ns, set, selection: { chosen, marks, all, clear, keep }, loaded }: Props) {
  const may = useMay()
  const place = { namespace: ns, set }
  const [task, setTask] = useState<'edit' | 'delete'>()
  const save = useMutation({
    mutationFn: () => exportEach(ns, set, chosen),
    onSuccess: ({ text, missing }) => {
      saveFile(`${set === '' ? ns : set}-selected.ndjson`, new Blob([text], { type: 'application/x-ndjson' }))
      if (missing > 0) toast(`${plural(missing, 'selected record')} no longer there: not exported`)
    },
  })
  const onEnd = ({ phase, failures }: BulkState): void => {
    if (phase === 'done') keep(new Set(failures.map(({ digest }) => digest)))
  }
  const many = { ns, set, chosen, onClose: () => setTask(undefined), onEnd }
  return (
    <>
      {chosen.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label="Selected records">
          <span className="num" role="status">
            <strong>{count(chosen.length)}</strong> selected
          </span>
          {marks.state !== 'all' && chosen.length < MOST_SELECTED && (
            <Button look="quiet" small onClick={all}>
              Select all {count(loaded)} loaded
            </Button>
          )}
          <Button look="quiet" small busy={save.isPending} onClick={() => save.mutate()}>
            Export
          </Button>
          {may('putRecord', place) && (
            <Button look="quiet" small onClick={() => setTask('edit')}>
              Edit bin…
            </Button>
          )}
          {may('deleteRecord', place) && (
            <Button look="danger" small onClick={() => setTask('delete')}>
              Delete…
            </Button>
          )}
          <Button look="quiet" small aria-label="Clear the selection" onClick={clear}>
            <Icon name="close" />
          </Button>
          <Problem error={save.error} />
        </div>
      )}
      {task === 'delete' && <DeleteMany {...many} />}
      {task === 'edit' && <EditBin {...many} />}
    </>
  )
}
