import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../../api/use-may'
import type { NamespacePatch } from '../../../api/types'
import { RoleNeeded } from '../../../components/access/RoleNeeded'
import { ReviewDialog } from '../../../components/config/ReviewDialog'
import { JsonField } from '../../../editor/JsonField'
import { inPlace } from '../../../search'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { CopyButton } from '../../../ui/Copy'
import { Problem } from '../../../ui/Problem'
import { Segmented } from '../../../ui/Segmented'
import { toast } from '../../../ui/toast'
import { useNamespace } from '../detail/use-namespace'
import { labelOf } from './catalogue'
import { CompareControls, wordsOfCompared } from './CompareControls'
import { type Drafts, isReady, jsonOf, patchOf, patchOfJson } from './drafts'
import { HistoryCard } from './HistoryCard'
import { OwnershipCard } from './OwnershipCard'
import { comparedOf, type ConfigSearch } from './search'
import { SettingsTable } from './SettingsTable'
import { useOther } from './use-other'
import { useNamespaceReview } from './use-review'
import { t } from '../../../language/text'

/** All settings of a namespace. Edits are drafts until they are reviewed and applied; each change is a revision. */
export function ConfigTab() {
  const namespace = useNamespace()
  const { name, config, mutable } = namespace
  const search: ConfigSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (part: Partial<ConfigSearch>): void =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...part }), ...inPlace } as never)
  const mayChange = useMay()('updateNamespace', { namespace: name })
  const mayRestore = useMay()('restoreConfigRevision', { namespace: name })
  const [drafts, setDrafts] = useState<Drafts>({})
  const [json, setJson] = useState<string>()
  const isJson = search.form === 'json' && mayChange
  const wanted = isJson
    ? patchIn(json, () => patchOfJson(json ?? '', config))
    : patchIn(drafts, () => patchOf(drafts, config))
  const changed = Object.keys(wanted.patch).length
  const discard = (): void => {
    setDrafts({})
    setJson(undefined)
  }
  const edited = json !== undefined || Object.keys(drafts).length > 0
  const { review, save, reviewed, close, refused, forget } = useNamespaceReview(namespace, {
    edited,
    onSaved: () => {
      discard()
      toast(t('Settings saved'))
    },
  })
  const compared = comparedOf(search.with)
  const other = useOther(namespace, compared)
  const edit = (next: Drafts): void => {
    forget()
    setDrafts(next)
  }
  const ready = changed > 0 && (isJson ? wanted.fault === undefined : isReady(drafts))
  return (
    <div className="stack">
      <Card
        title={t('Settings')}
        aside={t('edits are drafts until you review them')}
        end={
          <>
            <CompareControls name={name} search={search} onChange={set} />
            {mayChange && (
              <Segmented
                label={t('Form')}
                value={search.form ?? 'table'}
                choices={[
                  { value: 'table', label: t('Table') },
                  { value: 'json', label: t('JSON') },
                ]}
                onChange={(form) => set({ form: form === 'json' ? 'json' : undefined })}
              />
            )}
          </>
        }
      >
        <Problem error={other.error} />
        <div className="row">
          <span className="mute">{t('id')}</span>
          <code>{namespace.id}</code>
          <CopyButton text={namespace.id} label={t('Copy id')} />
        </div>
        {isJson ? (
          <JsonField
            label={t('Settings as JSON')}
            hint={t('Settings that cannot change here are shown in the review, and stay as they are.')}
            rows={14}
            value={json ?? jsonOf(config)}
            error={wanted.fault}
            onChange={(text) => {
              forget()
              setJson(text)
            }}
          />
        ) : (
          <SettingsTable
            name={name}
            config={config}
            mutable={mutable}
            edit={mayChange ? edit : undefined}
            drafts={drafts}
            refused={refused}
            differing={search.differing === true}
            other={other.config && { label: wordsOfCompared(search.with ?? ''), config: other.config }}
          />
        )}
        {!mayChange && <RoleNeeded what={t('Changing them')} operation="updateNamespace" />}
      </Card>
      {mayChange && !isJson && mutable.includes('ownership') && (
        <OwnershipCard
          now={config.ownership}
          draft={drafts.ownership}
          refused={refused}
          onChange={(ownership) => edit({ ...drafts, ownership })}
        />
      )}
      {mayChange && (
        <Card>
          <div className="stack">
            {reviewed === undefined && <Problem error={review.error} />}
            <div className="spread">
              <span className="mute">
                {edited ? t('{changed, plural, one {# change} other {# changes}}', { changed }) : t('No changes yet')}
              </span>
              <div className="row">
                <Button disabled={!edited} onClick={discard}>
                  {t('Discard')}
                </Button>
                <Button
                  look="primary"
                  disabled={!ready}
                  busy={review.isPending}
                  onClick={() => review.mutate(wanted.patch)}
                >
                  {t('Review…')}
                </Button>
              </div>
            </div>
          </div>
        </Card>
      )}
      <HistoryCard namespace={namespace} may={mayRestore} onCompare={(number) => set({ with: `revision:${number}` })} />
      <ReviewDialog
        title={t('Change {name}', { name })}
        action={t('Apply')}
        open={reviewed !== undefined}
        changes={reviewed?.changes}
        labelOf={(field) => labelOf(field, config)}
        call={{
          method: 'PATCH',
          path: `/api/v1/namespaces/${encodeURIComponent(name)}`,
          body: reviewed?.patch ?? {},
          etag: reviewed?.etag ?? '*',
        }}
        error={save.error}
        busy={save.isPending}
        onClose={close}
        onApply={(reason) => reviewed !== undefined && save.mutate({ ...reviewed, reason })}
      />
    </div>
  )
}

/** The patch of what is edited, or why there is none. Unset: nothing is. */
function patchIn(edited: unknown, read: () => NamespacePatch): { patch: NamespacePatch; fault?: string } {
  if (edited === undefined) return { patch: {} }
  try {
    return { patch: read() }
  } catch (error) {
    return { patch: {}, fault: (error as Error).message }
  }
}
