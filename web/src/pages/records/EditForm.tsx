import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { ApiProblem } from '../../api/problem'
import { CurlLine } from '../../components/CurlLine'
import { useSettled } from '../../components/use-settled'
import { generationOf, readRecord, type StoredRecord, writeCall, writeRecord } from '../../records/client'
import { type Base, type Draft, draftId } from '../../records/drafts'
import {
  bodyOf,
  checkOf,
  editOf,
  emptyEdit,
  expiries,
  fine,
  isChanged,
  isFine,
  secondsProblem,
  seenAs,
  sizeOf,
  ttlOf,
} from '../../records/edit'
import { laidOut } from '../../records/json-scan'
import { keyProblem, type RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/inputs'
import { NumberField } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { BinsEditor } from './BinsEditor'
import { DeleteRecord } from './DeleteRecord'
import { DraftNote } from './DraftNote'
import { LeaveDialog } from './LeaveDialog'
import { MergePanel } from './MergePanel'
import { NewKeyFields } from './NewKeyFields'
import { NewerNote } from './NewerNote'
import { RecordFacts } from './RecordFacts'
import { useDraft } from './use-draft'
import { t } from '../../language/text'

/** From so many characters on, bins are checked when typing pauses. */
const CHECK_AT_ONCE = 50_000

interface Props {
  ns: string
  set: string | undefined
  target: RecordKey | undefined
  stored: StoredRecord | undefined
  user: string
  /** whether the reader has asked to close it */
  leaving: boolean
  onLeaving: (leaving: boolean) => void
  /** tells whether something is typed that is not saved */
  onChanged: (changed: boolean) => void
  onClose: () => void
  onSaved: (key: RecordKey, set: string) => void
  onReload: () => void
}

/** What to write, and for which version. */
interface Write {
  body: string
  etag: string | undefined
  create: boolean
}

/**
 * Edits a record's bins as a form or as JSON. Integers keep all 64 bits. What is typed is kept until it is saved or
 * discarded, and a lost race is merged bin by bin.
 */
export function EditForm(props: Props) {
  const { ns, set, target, stored, user, leaving, onLeaving, onChanged, onClose, onSaved, onReload } = props
  const queries = useQueryClient()
  const current = useMemo(() => stored && baseOf(stored), [stored])
  /** The version that the edit began from; an older one after a draft was restored. */
  const [base, setBase] = useState(current)
  const [begun, setBegun] = useState(() => (current === undefined ? emptyEdit : editOf(current.bins)))
  const [edit, setEdit] = useState(begun)
  const empty = useMemo(() => ({ set, key: target ?? { text: '', type: 'string' as const } }), [set, target])
  const [place, setPlace] = useState(empty)
  const [merging, setMerging] = useState(false)
  /** Races that were lost: after each one the stored version is another. */
  const [races, setRaces] = useState(0)
  const first = useMemo(() => seenAs(begun, edit.view), [begun, edit.view])
  const changed = isChanged(edit, first) || place.key.text !== empty.key.text
  const make = useCallback((): Draft | undefined => {
    if (!changed) return undefined
    return { at: Date.now(), user, base, place: target === undefined ? place : undefined, edit }
  }, [changed, user, base, target, place, edit])
  const draft = useDraft(draftId(ns, set, target), user, make)
  const restore = ({ base: from, place: where, edit: typed }: Draft): void => {
    setEdit(typed)
    if (where !== undefined) setPlace(where)
    if (from !== undefined) {
      setBase(from)
      setBegun(editOf(from.bins))
    }
    draft.take()
  }
  useEffect(() => onChanged(changed), [changed, onChanged])

  const paused = useSettled(edit)
  const checked = sizeOf(edit) > CHECK_AT_ONCE ? paused : edit
  // A long record opens sooner if what came from the server is not checked again.
  const check = useMemo(() => (checked === begun && begun.view === 'json' ? fine : checkOf(checked)), [checked, begun])
  const hasBins =
    stored !== undefined || edit.view === 'json' || edit.fields.some(({ name, text }) => name + text !== '')
  const hasPlace = place.set !== undefined && place.key.text !== '' && keyProblem(place.key) === undefined
  const invalid = !isFine(check) || !hasBins || !hasPlace || secondsProblem(edit) !== undefined
  const into = place.set ?? ''
  const callOf = ({ body, etag, create }: Write) => {
    const ttl = ttlOf(edit)
    // A record that is made again has no expiry to keep.
    return writeCall(ns, into, place.key, body, { etag, create, ttlSeconds: create && ttl === -2 ? 0 : ttl })
  }
  const save = useMutation({
    mutationFn: (write: Write) => writeRecord(callOf(write)),
    onSuccess: () => {
      draft.drop()
      onChanged(false)
      toast(stored === undefined ? t('Record created') : t('Record saved'))
      void queries.invalidateQueries({ queryKey: ['records'] })
      void queries.invalidateQueries({ queryKey: ['namespaces'] })
      onSaved(place.key, into)
    },
    onError: (error) => {
      if (stored === undefined || !isLostRace(error)) return
      setMerging(true)
      setRaces((count) => count + 1)
    },
  })
  const lost = stored !== undefined && isLostRace(save.error)
  const mine = useMemo(() => (merging && isFine(checkOf(edit)) ? bodyOf(edit) : undefined), [merging, edit])
  const send = (): void => {
    // A long text may have changed since it was checked.
    if (invalid || merging || !isFine(checkOf(edit))) return
    save.mutate({ body: bodyOf(edit), etag: base?.etag, create: stored === undefined })
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {draft.offered !== undefined && <DraftNote draft={draft.offered} onRestore={restore} onDiscard={draft.drop} />}
      {stored === undefined ? (
        <NewKeyFields ns={ns} place={place} onChange={setPlace} />
      ) : (
        <RecordFacts record={stored.record} />
      )}
      {base?.etag !== current?.etag && base !== undefined && current !== undefined && !merging && (
        <NewerNote
          edited={base.generation}
          newer={current.generation}
          comparable={!invalid}
          onCompare={() => setMerging(true)}
        />
      )}
      <fieldset className="plain-fields stack" disabled={draft.offered !== undefined}>
        <BinsEditor
          ns={ns}
          set={set}
          target={target}
          etag={stored?.etag}
          edit={edit}
          check={check}
          readOnly={draft.offered !== undefined}
          onChange={setEdit}
        />
        <div className="grid-2 pair">
          <SelectField
            label={t('Expiry')}
            value={edit.expiry}
            choices={stored === undefined ? expiries.slice(1) : expiries}
            onChange={(expiry) => setEdit({ ...edit, expiry })}
          />
          {edit.expiry === 'seconds' && (
            <NumberField
              label={t('Seconds')}
              value={edit.seconds}
              onChange={(seconds) => setEdit({ ...edit, seconds })}
              error={secondsProblem(edit)}
            />
          )}
        </div>
      </fieldset>
      {merging && target !== undefined && base !== undefined ? (
        <MergePanel
          base={base}
          mine={invalid ? undefined : mine}
          error={lost ? null : save.error}
          busy={save.isPending}
          round={races}
          theirs={() => readRecord(ns, into, target)}
          onSave={(body, etag) => save.mutate({ body, etag, create: etag === undefined })}
          onStay={() => {
            setMerging(false)
            save.reset()
          }}
          onReload={() => {
            draft.drop()
            onChanged(false)
            onReload()
          }}
        />
      ) : (
        <Problem error={save.error} />
      )}
      {!draft.kept && changed && (
        <p className="note warn" role="status">
          {t('This browser cannot keep these changes as a draft. Save them before you leave.')}
        </p>
      )}
      <ExactCall
        call={() => callOf({ body: bodyOf(edit), etag: base?.etag, create: stored === undefined })}
        valid={!invalid}
      />
      <div className="spread">
        {stored !== undefined && target !== undefined ? (
          <DeleteRecord
            ns={ns}
            set={into}
            target={target}
            etag={stored.etag}
            onDeleted={() => {
              draft.drop()
              onClose()
            }}
          />
        ) : (
          <span />
        )}
        <div className="row">
          <Button onClick={() => (changed ? onLeaving(true) : onClose())}>{t('Close')}</Button>
          <Button
            type="submit"
            look="primary"
            disabled={invalid || merging || draft.offered !== undefined}
            busy={save.isPending}
          >
            {stored === undefined ? t('Create') : t('Save')}
          </Button>
        </div>
      </div>
      <LeaveDialog
        open={leaving}
        kept={draft.kept}
        onStay={() => onLeaving(false)}
        onLeave={onClose}
        onDiscard={() => {
          draft.drop()
          onClose()
        }}
      />
    </form>
  )
}

/** Somebody saved or deleted it since it was read. */
const isLostRace = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 412 || error.code === 'record_not_found')

const baseOf = ({ record, etag, bins }: StoredRecord): Base => ({
  etag,
  generation: generationOf(record),
  // The gateway sends one line.
  bins: bins.includes('\n') ? laidOut(bins, 0) : bins,
})

/** The call of a save, made when somebody looks at it: its body may be long. */
function ExactCall({ call, valid }: { call: () => ReturnType<typeof writeCall>; valid: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="help" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('The exact call')}</summary>
      {open &&
        (valid ? <CurlLine {...call()} /> : <p className="mute small">{t('It is shown when the bins are valid.')}</p>)}
    </details>
  )
}
