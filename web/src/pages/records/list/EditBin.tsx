import { useState } from 'react'
import { type Exact, parseExact } from '../../../records/json'
import { Confirm } from '../../../ui/Confirm'
import { Dialog } from '../../../ui/Dialog'
import { AreaField, TextField } from '../../../ui/inputs'
import { Segmented } from '../../../ui/Segmented'
import { editEach } from './bulk'
import { BulkReport } from './BulkReport'
import { type ManyProps, TYPED_ABOVE } from './DeleteMany'
import { useBulk } from './use-bulk'
import { t } from '../../../language/text'

const tasks = [
  { value: 'set', label: t('Set a value') },
  { value: 'remove', label: t('Remove the bin') },
] as const

/** Sets one bin of all selected records, or removes it. */
export function EditBin({ ns, set, target, onClose, onEnd }: ManyProps) {
  const { state, begin, abort } = useBulk(ns, set, onEnd)
  const [task, setTask] = useState<'set' | 'remove'>('set')
  const [bin, setBin] = useState('')
  const [text, setText] = useState('')
  const [tried, setTried] = useState(false)
  const value = task === 'remove' ? null : valueOf(text)
  const title = t('Edit a bin of {total, plural, one {# record} other {# records}}', {
    total: state?.total ?? target.total,
  })
  if (state !== undefined)
    return (
      <Dialog title={title} open onClose={state.phase === 'running' ? abort : onClose}>
        <BulkReport state={state} task="edit" stays={target.stays} onAbort={abort} onClose={onClose} />
      </Dialog>
    )
  const binError = bin === '' ? t('Enter the name of a bin') : undefined
  const valueError =
    value === undefined
      ? t(`Enter JSON, such as 42, "text" or '{'"a": 1'}'`)
      : task === 'set' && value === null
        ? t('null would remove the bin. Choose "Remove the bin" for that')
        : undefined
  return (
    <Confirm
      title={title}
      open
      typed={target.total > TYPED_ABOVE ? String(target.total) : undefined}
      action={
        task === 'set'
          ? t('Change {total, plural, one {# record} other {# records}}', { total: target.total })
          : t('Remove it from {total, plural, one {# record} other {# records}}', { total: target.total })
      }
      onClose={onClose}
      onConfirm={() => {
        setTried(true)
        if (binError === undefined && valueError === undefined && value !== undefined)
          begin(target, (part, bulk) => editEach(part, bin, value, bulk))
      }}
    >
      <Segmented label={t('Task')} value={task} choices={tasks} onChange={setTask} />
      <TextField label={t('Bin')} value={bin} onChange={setBin} mono error={tried ? binError : undefined} />
      {task === 'set' && (
        <AreaField
          label={t('Value (JSON)')}
          value={text}
          onChange={setText}
          rows={3}
          error={tried ? valueError : undefined}
        />
      )}
      <p className="mute">{t('The other bins stay as they are. Each change raises the generation of its record.')}</p>
    </Confirm>
  )
}

/** Undefined if it is no JSON. */
function valueOf(text: string): Exact | undefined {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
