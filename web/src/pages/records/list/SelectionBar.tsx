import { useMutation } from '@tanstack/react-query'
import { exportPath, type FileFormat, mediaTypes } from '../../../api/export-path'
import { useMay } from '../../../api/use-may'
import { useOwnSignal } from '../../../components/use-own-signal'
import { downloadFrom } from '../../../components/download-from'
import { saveFile } from '../../../components/save-file'
import { count } from '../../../format'
import { Button } from '../../../ui/Button'
import { fileOf } from '../../../records/file-of'
import { Icon } from '../../../ui/Icon'
import { Menu } from '../../../ui/Menu'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import { exportEach } from './bulk'
import { DeleteMany } from './DeleteMany'
import { EditBin } from './EditBin'
import { exportActions } from './export-actions'
import { chosenTarget, countFound, wholeTarget } from './target'
import type { BulkState } from './use-bulk'
import { MOST_SELECTED, type Selection } from './use-selection'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { ActionButton } from '../../../components/access/ActionButton'

interface Props {
  ns: string
  set: string
  selection: Selection
  /** number of records that are loaded */
  loaded: number
  /** whether there may be others */
  more: boolean
  /** the filter of the list; empty: all records of the set */
  where: string
  /** number of records of the set, as last counted */
  total: number | undefined
  /** what is asked about or under way; the list has to stay until its report is closed */
  task: Task | undefined
  onTask: (task: Task | undefined) => void
}

export type Task = 'edit' | 'delete'

/** What can be done with the selected records. It floats above the last rows, so that nothing moves. */
export function SelectionBar(props: Props) {
  const { selection, task } = props
  const isSeen = selection.chosen.length > 0 || selection.whole !== undefined || task !== undefined
  return isSeen && <Bar {...props} />
}

function Bar({ ns, set, selection, loaded, more, where, total, task, onTask }: Props) {
  const { chosen, whole, marks, all, clear, keep, chooseWhole } = selection
  const may = useMay()
  const place = { namespace: ns, set }
  const save = useMutation({
    mutationFn: (_format: FileFormat) => exportEach(ns, set, chosen),
    onSuccess: ({ lines, missing }, format) => {
      const file = new Blob(fileOf(lines, format), { type: mediaTypes[format] })
      saveFile(`${set === '' ? ns : set}-selected.${format}`, file)
      if (missing > 0)
        toast(
          t('{missing, plural, one {# selected record} other {# selected records}} no longer there: not exported', {
            missing,
          }),
        )
    },
  })
  const { begin } = useOwnSignal()
  const counting = useMutation({
    mutationFn: async () => (where === '' && total !== undefined ? total : countFound(ns, set, where, begin())),
    onSuccess: chooseWhole,
  })
  const onEnd = ({ phase, failures }: BulkState): void => {
    if (phase === 'done' && whole !== undefined) clear()
    else if (phase === 'done') keep(new Set(failures.map(({ digest }) => digest)))
  }
  const target = whole === undefined ? chosenTarget(chosen) : wholeTarget(ns, set, where, whole)
  const many = { ns, set, target, onClose: () => onTask(undefined), onEnd }
  return (
    <>
      {(chosen.length > 0 || whole !== undefined) && (
        <div className="selection-bar" role="toolbar" aria-label={t('Selected records')}>
          <span className="num" role="status">
            <Say
              text="<strong>{whole}</strong> selected"
              values={{ strong: (parts) => <strong>{parts}</strong>, whole: count(whole ?? chosen.length) }}
            />
          </span>
          {more && whole === undefined && (
            <Button look="quiet" small busy={counting.isPending} onClick={() => counting.mutate()}>
              {where === '' ? t('Select the whole set') : t('Select all that match')}
            </Button>
          )}
          {marks.state !== 'all' && chosen.length < MOST_SELECTED && (
            <Button look="quiet" small onClick={all}>
              {t('Select all {loaded} loaded', { loaded: count(loaded) })}
            </Button>
          )}
          {(whole === undefined || may('exportRecords', place)) && (
            <Menu
              button={
                <Button look="quiet" small busy={save.isPending}>
                  {t('Export')}
                  <Icon name="down" />
                </Button>
              }
              actions={exportActions((format) =>
                whole === undefined ? save.mutate(format) : downloadFrom(exportPath(ns, { set, format, where })),
              )}
            />
          )}
          <ActionButton operation="putRecord" place={place} look="quiet" small onClick={() => onTask('edit')}>
            {t('Edit bin…')}
          </ActionButton>
          <ActionButton operation="deleteRecord" place={place} look="danger" small onClick={() => onTask('delete')}>
            {t('Delete…')}
          </ActionButton>
          <Button look="quiet" small aria-label={t('Clear the selection')} onClick={clear}>
            <Icon name="close" />
          </Button>
          <Problem error={save.error ?? counting.error} />
        </div>
      )}
      {task === 'delete' && <DeleteMany {...many} />}
      {task === 'edit' && <EditBin {...many} />}
    </>
  )
}
