import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../api/problem'
import { CurlLine } from '../../components/CurlLine'
import { type BinField, binsText, fieldsOf, jsonProblem, problemOf } from '../../records/bins'
import { readRecord, type StoredRecord, writeCall, writeRecord } from '../../records/client'
import { isExactObject, parseExact, printExact } from '../../records/json'
import { keyProblem, type RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { AreaField, SelectField, TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Segmented } from '../../ui/Segmented'
import { toast } from '../../ui/toast'
import { BinFields } from './BinFields'
import { Conflict } from './Conflict'
import { DeleteRecord } from './DeleteRecord'
import { NewKeyFields } from './NewKeyFields'
import { RecordFacts } from './RecordFacts'

const ttls = [
  { value: '', label: 'keep unchanged' },
  { value: '0', label: 'default of the namespace' },
  { value: '-1', label: 'never expires' },
  { value: 'seconds', label: 'in seconds…' },
] as const

interface Props {
  ns: string
  set: string | undefined
  target: RecordKey | undefined
  stored: (StoredRecord & { fields: BinField[]; text: string }) | undefined
  onClose: () => void
  onSaved: (key: RecordKey, set: string) => void
  onReload: () => void
}

/**
 * Edits a record's bins as a form or as JSON. Integers keep all 64 bits. A lost race is shown and
 * never overwritten.
 */
export function EditForm({ ns, set, target, stored, onClose, onSaved, onReload }: Props) {
  const queries = useQueryClient()
  const [view, setView] = useState<'form' | 'json'>('form')
  const [refused, setRefused] = useState(false)
  const [fields, setFields] = useState<BinField[]>(stored?.fields ?? [{ name: '', type: 'string', text: '' }])
  const [text, setText] = useState(stored?.text ?? '{}')
  const [place, setPlace] = useState({ set, key: target ?? { text: '', type: 'string' as const } })
  const [ttl, setTtl] = useState<(typeof ttls)[number]['value']>(stored === undefined ? '0' : '')
  const [seconds, setSeconds] = useState('')
  // An empty row is no bin.
  const filled = fields.filter(({ name, text: value }) => name + value !== '')
  const wrong = filled.some((field) => problemOf(field, filled) !== undefined)
  const formProblem = wrong || (stored === undefined && filled.length === 0)
  const textProblem =
    jsonProblem(text) ?? (isExactObject(parseExact(text)) ? undefined : 'Enter a JSON object with the bins')
  const secondsProblem = /^[1-9]\d*$/.test(seconds) ? undefined : 'A whole number, 1 or more'
  const invalid =
    (view === 'form' ? formProblem : textProblem !== undefined) ||
    place.set === undefined ||
    place.key.text === '' ||
    keyProblem(place.key) !== undefined ||
    (ttl === 'seconds' && secondsProblem !== undefined)
  const into = place.set ?? ''
  const body = invalid ? '{}' : view === 'form' ? binsText(filled) : printExact(parseExact(text))
  const ttlSeconds = ttl === '' ? -2 : ttl === 'seconds' ? Number(seconds) : Number(ttl)
  const callWith = (etag: string | undefined) =>
    writeCall(ns, into, place.key, body, { etag, create: stored === undefined, ttlSeconds })
  const save = useMutation({
    mutationFn: (etag: string | undefined) => writeRecord(callWith(etag)),
    onSuccess: () => {
      toast(stored === undefined ? 'Record created' : 'Record saved')
      void queries.invalidateQueries({ queryKey: ['records'] })
      void queries.invalidateQueries({ queryKey: ['namespaces'] })
      onSaved(place.key, into)
    },
  })
  const conflict = save.error instanceof ApiProblem && save.error.status === 412 && stored !== undefined
  // Invalid input cannot be converted to the other view and would be lost.
  const stays = view === 'form' ? wrong : textProblem !== undefined
  const switchView = (next: 'form' | 'json'): void => {
    setRefused(stays)
    if (stays) return
    if (next === 'json') setText(printExact(parseExact(binsText(filled)), 2))
    else setFields(fieldsOf(parseExact(text)))
    setView(next)
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(stored?.etag)
      }}
    >
      {stored === undefined ? (
        <NewKeyFields ns={ns} place={place} onChange={setPlace} />
      ) : (
        <RecordFacts record={stored.record} />
      )}
      <div className="spread">
        <h3>Bins</h3>
        <Segmented
          label="Edit as"
          value={view}
          choices={[
            { value: 'form', label: 'form' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={switchView}
        />
      </div>
      {refused && stays && (
        <p className="bad small" role="alert">
          Correct what is wrong {view === 'form' ? 'in these bins' : 'in this JSON'} first. Otherwise your change would
          be lost in the other view.
        </p>
      )}
      {view === 'form' ? (
        <BinFields fields={fields} onChange={setFields} />
      ) : (
        <AreaField label="Bins as JSON" value={text} onChange={setText} rows={14} error={textProblem} />
      )}
      <div className="grid-2 pair">
        <SelectField
          label="Expiry"
          value={ttl}
          choices={stored === undefined ? ttls.slice(1) : ttls}
          onChange={setTtl}
        />
        {ttl === 'seconds' && (
          <TextField label="Seconds" inputMode="numeric" value={seconds} onChange={setSeconds} error={secondsProblem} />
        )}
      </div>
      {conflict && target !== undefined ? (
        <Conflict
          error={save.error}
          mine={body}
          valid={!invalid}
          theirs={() => readRecord(ns, into, target)}
          onReload={() => {
            save.reset()
            onReload()
          }}
          onOverwrite={(etag) => save.mutate(etag)}
        />
      ) : (
        <Problem error={save.error} />
      )}
      <details className="help">
        <summary>The exact call</summary>
        <CurlLine {...callWith(stored?.etag)} />
      </details>
      <div className="spread">
        {stored !== undefined && target !== undefined ? (
          <DeleteRecord ns={ns} set={into} target={target} etag={stored.etag} onDeleted={onClose} />
        ) : (
          <span />
        )}
        <div className="row">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" disabled={invalid} busy={save.isPending}>
            {stored === undefined ? 'Create' : 'Save'}
          </Button>
        </div>
      </div>
    </form>
  )
}
