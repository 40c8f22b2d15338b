import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { serverRevisionsQuery } from '../../api/server-config'
import type { ServerSetting, VersionedConfig } from '../../api/types'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { ReviewDialog } from '../../components/config/ReviewDialog'
import { t } from '../../language/text'
import { inPlace } from '../../search'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { SmallSelect } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toast'
import { type Drafts, isReady, patchOf } from './drafts'
import { FileCard } from './FileCard'
import { groupsOf } from './groups'
import { comparedOf, type ServerConfigSearch } from './search'
import { ServerHistory } from './ServerHistory'
import { SettingsTable } from './SettingsTable'
import { useOther } from './use-other'
import { useServerReview } from './use-server-review'

/** Edits are drafts until they are reviewed and applied; each change is a revision. */
export function ServerSettings({ config }: { config: VersionedConfig }) {
  const search = useSearch({ from: '/config' })
  const navigate = useNavigate({ from: '/config' })
  const set = (part: Partial<ServerConfigSearch>): void =>
    void navigate({ search: (now) => ({ ...now, ...part }), ...inPlace })
  const may = useMay()
  const mayChange = may('updateServerConfig')
  const canChange = mayChange && config.file?.writable === true
  const [drafts, setDrafts] = useState<Drafts>({})
  const patch = patchOf(drafts, config.settings)
  const changed = Object.keys(patch).length
  const edited = Object.keys(drafts).length > 0
  const { review, save, reviewed, close, refused, forget } = useServerReview(config, {
    edited,
    onSaved: () => {
      setDrafts({})
      toast(t('Settings saved'))
    },
  })
  const edit = (next: Drafts): void => {
    forget()
    setDrafts(next)
  }
  const other = useOther(config, comparedOf(search.with))
  const differs = ({ key, value }: ServerSetting): boolean => other.values?.[key] !== value
  return (
    <div className="stack">
      <FileCard file={config.file} />
      <Card title={t('Settings')} aside={t('edits are drafts until you review them')}>
        <div className="stack">
          <div className="set-bar">
            <input
              className="input small"
              type="search"
              aria-label={t('Search the settings')}
              placeholder={t('Search by name, meaning or value…')}
              spellCheck={false}
              value={search.find ?? ''}
              onChange={(event) => set({ find: event.target.value || undefined })}
            />
            <SmallSelect
              label={t('Which settings')}
              value={search.show ?? 'all'}
              choices={[
                { value: 'all', label: t('all settings') },
                { value: 'live', label: t('those that a reload takes') },
                { value: 'set', label: t('those that something sets') },
              ]}
              onChange={(show) => set({ show: show === 'all' ? undefined : show })}
            />
            <Compare search={search} onChange={set} />
          </div>
          <Problem error={other.error} />
          <SettingsTable
            groups={groupsOf(config.settings, {
              ...search,
              differs: search.differing === true && other.values !== undefined ? differs : undefined,
            })}
            drafts={drafts}
            edit={canChange ? edit : undefined}
            refused={ofSettings(refused)}
            other={other.values && { label: wordsOfCompared(search.with ?? ''), values: other.values }}
          />
          {!mayChange && <RoleNeeded what={t('Changing them')} operation="updateServerConfig" />}
        </div>
      </Card>
      {canChange && (
        <div className={edited ? 'stays-in-view' : undefined}>
          <Card>
            <div className="stack">
              {reviewed === undefined && <Problem error={review.error} />}
              <div className="spread">
                <span className="mute">
                  {edited ? t('{changed, plural, one {# change} other {# changes}}', { changed }) : t('No changes yet')}
                </span>
                <div className="row">
                  <Button disabled={!edited} onClick={() => edit({})}>
                    {t('Discard')}
                  </Button>
                  <Button
                    look="primary"
                    disabled={changed === 0 || !isReady(drafts, config.settings)}
                    busy={review.isPending}
                    onClick={() => review.mutate(patch)}
                  >
                    {t('Review…')}
                  </Button>
                </div>
              </div>
            </div>
          </Card>
        </div>
      )}
      <ServerHistory
        may={canChange && may('restoreServerRevision')}
        onCompare={(number) => set({ with: `revision:${number}` })}
      />
      <ReviewDialog
        title={t('Change the server')}
        action={t('Apply')}
        open={reviewed !== undefined}
        changes={reviewed?.changes}
        labelOf={(field) => field}
        call={{
          method: 'PATCH',
          path: '/api/v1/config',
          body: { settings: reviewed?.patch ?? {} },
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

/** The server names a field as `settings.streams`. */
const ofSettings = (refused: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(refused).map(([field, message]) => [field.replace(/^settings\./, ''), message]))

function Compare({
  search,
  onChange,
}: {
  search: ServerConfigSearch
  onChange: (part: Partial<ServerConfigSearch>) => void
}) {
  const revisions = useQuery(serverRevisionsQuery()).data?.items.slice(1) ?? []
  const chosen = search.with ?? ''
  const values = [
    'defaults',
    ...(revisions.length > 0 ? ['previous'] : []),
    ...revisions.map(({ number }) => `revision:${number}`),
  ]
  const all = chosen === '' || values.includes(chosen) ? values : [...values, chosen]
  return (
    <>
      <SmallSelect
        label={t('Compare with')}
        value={chosen}
        choices={[
          { value: '', label: t('compare with nothing') },
          ...all.map((value) => ({ value, label: wordsOfCompared(value) })),
        ]}
        onChange={(value) => onChange(value === '' ? { with: undefined, differing: undefined } : { with: value })}
      />
      {chosen !== '' && (
        <Switch
          label={t('Only what differs')}
          checked={search.differing === true}
          onChange={(on) => onChange({ differing: on || undefined })}
        >
          {t('Only what differs')}
        </Switch>
      )}
    </>
  )
}

function wordsOfCompared(text: string): string {
  const compared = comparedOf(text)
  if (compared?.kind === 'defaults') return t('the defaults')
  return compared?.kind === 'revision' ? t('revision {number}', { number: compared.number }) : t('the last revision')
}
