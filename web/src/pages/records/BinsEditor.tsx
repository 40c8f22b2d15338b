import { useState } from 'react'
import { useBinNames } from '../../components/fields/use-sample'
import { JsonField } from '../../editor/JsonField'
import { type Check, checkOf, type Edit, isFine, seenAs } from '../../records/edit'
import type { RecordKey } from '../../records/key'
import { Segmented } from '../../ui/Segmented'
import { BinFields } from './BinFields'
import { HexView } from './HexView'
import { t } from '../../language/text'

interface Props {
  ns: string
  set: string | undefined
  /** undefined for a new record */
  target: RecordKey | undefined
  etag: string | undefined
  edit: Edit
  check: Check
  readOnly: boolean
  onChange: (edit: Edit) => void
}

type View = Edit['view'] | 'hex'

const views = [
  { value: 'form', label: t('form') },
  { value: 'json', label: t('JSON') },
  { value: 'hex', label: t('hex') },
] as const

/** The bins of a record as a form and as JSON, and its stored bytes. */
export function BinsEditor({ ns, set, target, etag, edit, check, readOnly, onChange }: Props) {
  const [hex, setHex] = useState(false)
  const [refused, setRefused] = useState(false)
  const bins = useBinNames(ns, set)
  // What is wrong cannot be shown in the other view and would be lost.
  const stays = !isFine(check)
  const show = (next: View): void => {
    if (next === 'hex') return setHex(true)
    const blocked = next !== edit.view && !isFine(checkOf(edit))
    setRefused(blocked)
    if (blocked) return undefined
    setHex(false)
    return onChange(seenAs(edit, next))
  }
  return (
    <>
      <div className="spread">
        <h3>{t('Bins')}</h3>
        <Segmented
          label={t('Edit as')}
          value={hex ? 'hex' : edit.view}
          choices={target === undefined ? views.slice(0, 2) : views}
          onChange={show}
        />
      </div>
      {refused && stays && (
        <p className="bad small" role="alert">
          {edit.view === 'form'
            ? t('Correct what is wrong in these bins first. Otherwise your change would be lost in the other view.')
            : t('Correct what is wrong in this JSON first. Otherwise your change would be lost in the other view.')}
        </p>
      )}
      {hex && target !== undefined && etag !== undefined && (
        <HexView ns={ns} set={set ?? ''} target={target} etag={etag} />
      )}
      {!hex && edit.view === 'form' && (
        <BinFields fields={edit.fields} readOnly={readOnly} onChange={(fields) => onChange({ ...edit, fields })} />
      )}
      {!hex && edit.view === 'json' && (
        <JsonField
          label={t('Bins as JSON')}
          value={edit.text}
          onChange={(text) => onChange({ ...edit, text })}
          rows={14}
          error={check.text}
          fault={check.fault}
          readOnly={readOnly}
          guide={{ bins }}
        />
      )}
    </>
  )
}
