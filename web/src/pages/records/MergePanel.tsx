import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ApiProblem } from '../../api/problem'
import { generationOf, type StoredRecord } from '../../records/client'
import type { Base } from '../../records/drafts'
import { faultOf, laidOut } from '../../records/json-scan'
import { mergedText, mergeOf } from '../../records/merge'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { type Choice, ConflictFields, firstChoice } from './ConflictFields'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  base: Base
  /** the edited bins as JSON; undefined while something is wrong with them */
  mine: string | undefined
  /** why the last save failed, unless somebody was faster */
  error: unknown
  busy: boolean
  /** another number makes it read the stored version again */
  round: number
  theirs: () => Promise<StoredRecord>
  /** `etag`: the version to replace; undefined makes the record again */
  onSave: (body: string, etag: string | undefined) => void
  onStay: () => void
  onReload: () => void
}

/** A lost race with another writer: bins that one side changed merge by themselves, the reader decides about the others. */
export function MergePanel({ base, mine, error, busy, round, theirs, onSave, onStay, onReload }: Props) {
  const { data, error: unread, refetch } = useQuery({ queryKey: ['conflict', round], queryFn: theirs, gcTime: 0 })
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const merge = useMemo(
    () => (data === undefined || mine === undefined ? undefined : mergeOf(base.bins, mine, data.bins)),
    [base, mine, data],
  )
  const gone = unread instanceof ApiProblem && unread.status === 404
  if (gone)
    return (
      <section className="stack-small note warn" aria-label={t('Deleted meanwhile')}>
        <p>
          <Say
            text="<strong>This record was deleted meanwhile.</strong> You edited generation {generation}. Your changes are kept."
            values={{ strong: (parts) => <strong>{parts}</strong>, generation: base.generation }}
          />
        </p>
        <Problem error={error} />
        <div className="row end">
          <Button onClick={onStay}>{t('Keep editing')}</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={mine === undefined}
            onClick={() => {
              if (mine !== undefined) onSave(mine, undefined)
            }}
          >
            {t('Make it again')}
          </Button>
        </div>
      </section>
    )
  if (unread !== null) return <Problem error={unread} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={4} />
  const newer = generationOf(data.record)
  const open = merge?.conflicts.filter(({ name }) => choices.get(name) === undefined) ?? []
  const wrong = merge?.conflicts.some(({ name }) => {
    const choice = choices.get(name)
    return choice?.by === 'edit' && faultOf(choice.text) !== undefined
  })
  const save = (): void => {
    if (merge === undefined) return
    const chosen = merge.conflicts.map((bin) => [bin.name, valueOf(choices.get(bin.name) ?? firstChoice, bin)] as const)
    onSave(mergedText(merge, new Map(chosen)), data.etag)
  }
  return (
    <section className="stack merge" aria-label={t('Compare versions')}>
      <div className="note warn">
        <Say
          text="<strong>Generation {newer} was saved meanwhile.</strong> You edited generation {generation}. Your changes are kept."
          values={{ strong: (parts) => <strong>{parts}</strong>, newer, generation: base.generation }}
        />
      </div>
      {mine === undefined && <p className="bad small">{t('Correct what is wrong in your version first.')}</p>}
      {merge !== undefined && (
        <>
          {merge.settled.length > 0 && (
            <div className="stack-small">
              <h3>{t('{settled, plural, one {# bin} other {# bins}} merged', { settled: merge.settled.length })}</h3>
              <ul className="merge-list">
                {merge.settled.map(({ name, by, value }) => (
                  <li key={name}>
                    <code>{name}</code> <span className="mute">{settledWords[by]}</span>
                    <code className="value">{value === undefined ? t('removed') : value.slice(0, BRIEF)}</code>
                  </li>
                ))}
              </ul>
            </div>
          )}
          {merge.conflicts.map((bin) => (
            <ConflictFields
              key={bin.name}
              bin={bin}
              choice={choices.get(bin.name)}
              onChoose={(choice) => setChoices(new Map(choices).set(bin.name, choice))}
            />
          ))}
        </>
      )}
      <Problem error={error} />
      <div className="row end">
        <Button onClick={onReload}>{t('Load generation {newer}', { newer })}</Button>
        <Button onClick={onStay}>{t('Keep editing')}</Button>
        <Button
          look="primary"
          busy={busy}
          disabled={merge === undefined || open.length > 0 || wrong === true}
          onClick={save}
        >
          {t('Save merged')}
        </Button>
      </div>
      {open.length > 0 && (
        <p className="mute small" role="status">
          {t('Decide about {value} to save.', { value: open.map(({ name }) => name).join(', ') })}
        </p>
      )}
    </section>
  )
}

/** Characters of a value that is shown in a line. */
const BRIEF = 200

const settledWords = { mine: t('changed by you'), theirs: t('changed by the other'), both: t('changed alike') } as const

const valueOf = (choice: Choice, bin: { mine: string | undefined; theirs: string | undefined }): string | undefined =>
  choice.by === 'edit' ? laidOut(choice.text, 0) : bin[choice.by]
