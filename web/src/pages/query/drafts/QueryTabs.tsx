import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import { ApiProblem } from '../../../api/problem'
import { savedQueryQuery } from '../../../api/queries'
import { prettyRequest } from '../../../records/request/request'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { Tab, TabList } from '../../../ui/Tabs'
import { Tip } from '../../../ui/Tip'
import { clock } from '../../../format'
import { titleOf } from './draft-title'
import { add, change, close, detach, type Draft, reopen, type Workbench } from './drafts'
import { t } from '../../../language/text'
import { onSync, syncState } from './sync'

interface Props {
  bench: Workbench
  /** ids of the drafts whose query runs */
  running: readonly number[]
  /** whether the browser keeps drafts */
  kept: boolean
  onUpdate: (change: (bench: Workbench) => Workbench) => void
}

/** Tabs of the open queries. Delete closes the one with the focus. More keys are in the list of shortcuts. */
export function QueryTabs({ bench, running, kept, onUpdate }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const { drafts, active, closed } = bench
  const press = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): void => {
    if (key !== 'Delete' || ctrlKey || altKey || metaKey) return
    onUpdate((now) => close(now, now.active))
    // The tab that is shown next takes the focus.
    requestAnimationFrame(() => strip.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
  }
  return (
    <div className="draft-bar">
      <TabList ref={strip} className="drafts" aria-label={t('Open queries')} onKeyDown={press}>
        {drafts.map((draft) => (
          <DraftTab
            key={draft.id}
            draft={draft}
            shown={draft.id === active}
            running={running.includes(draft.id)}
            onUpdate={onUpdate}
          />
        ))}
      </TabList>
      <Tip text={t('New query (Alt+N)')}>
        <Button look="quiet" small aria-label={t('New query')} onClick={() => onUpdate(add)}>
          <Icon name="plus" />
        </Button>
      </Tip>
      {closed.length > 0 && (
        <Tip text={t('Reopen the last closed query (Alt+Shift+N)')}>
          <Button look="quiet" small onClick={() => onUpdate(reopen)}>
            {t('Reopen')}
          </Button>
        </Tip>
      )}
      <SyncNote kept={kept} />
    </div>
  )
}

/** What a reload, or another browser, would not have. */
function SyncNote({ kept }: { kept: boolean }) {
  const { problem, tooLong } = useSyncExternalStore(onSync, syncState)
  const note =
    !kept && (problem !== undefined || tooLong > 0)
      ? t('This browser does not store drafts. A reload deletes them.')
      : problem !== undefined
        ? t('Only this browser has your last changes, until the server takes them: {problem}', { problem })
        : tooLong > 0
          ? t(
              '{tooLong, plural, one {# query is too long for the server, and stays in this browser.} other {# queries are too long for the server, and stay in this browser.}}',
              { tooLong },
            )
          : undefined
  return (
    note !== undefined && (
      <span className="warn small" role="status">
        {note}
      </span>
    )
  )
}

interface TabProps {
  draft: Draft
  shown: boolean
  running: boolean
  onUpdate: Props['onUpdate']
}

function DraftTab({ draft, shown, running, onUpdate }: TabProps) {
  const title = labelOf(useSavedName(draft, onUpdate) ?? titleOf(draft.text), draft)
  const tab = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (shown) tab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])
  return (
    <Tip cut text={title}>
      <Tab
        ref={tab}
        value={draft.id}
        aria-keyshortcuts="Delete"
        onAuxClick={({ button }) => {
          if (button === 1) onUpdate((bench) => close(bench, draft.id))
        }}
      >
        {running && (
          <>
            <i className="running" aria-hidden="true" />
            <span className="visually-hidden">{t('running:')} </span>
          </>
        )}
        <span className="name">{title}</span>
        {/* For the pointer: a tab cannot contain a button, so the keyboard uses Delete or Alt+W. */}
        <span
          className="shut"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation()
            onUpdate((bench) => close(bench, draft.id))
          }}
        >
          <Icon name="close" />
        </span>
      </Tab>
    </Tip>
  )
}

/** Two browsers may have changed the same query: then one has a second tab, which says where it was typed. */
const labelOf = (title: string, { from }: Draft): string =>
  from === undefined
    ? title
    : t('{title} ({browser}, {time})', { title, browser: from.browser, time: clock(Date.parse(from.at), false) })

/** The name of the saved query behind a draft. A draft without text loads it. */
function useSavedName({ id, ns, text, saved }: Draft, onUpdate: Props['onUpdate']): string | undefined {
  const { data, error } = useQuery(savedQueryQuery(saved))
  const gone = error instanceof ApiProblem && error.status === 404
  useEffect(() => {
    if (saved !== undefined && gone) onUpdate((bench) => detach(bench, saved))
    else if (data !== undefined && data.id === saved && text === undefined)
      onUpdate((bench) => change(bench, id, { ns: ns ?? data.namespace, saved, text: prettyRequest(data.request) }))
  }, [id, ns, text, saved, data, gone, onUpdate])
  return data?.id === saved ? data?.name : undefined
}
