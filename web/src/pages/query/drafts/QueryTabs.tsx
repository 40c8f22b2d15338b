import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { ApiProblem } from '../../../api/problem'
import { savedQueryQuery } from '../../../api/queries'
import { prettyRequest } from '../../../records/request/request'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import { titleOf } from './draft-title'
import { add, change, close, detach, type Draft, reopen, show, step, type Workbench } from './drafts'
import { t } from '../../../language/text'

interface Props {
  bench: Workbench
  /** ids of the drafts whose query runs */
  running: readonly number[]
  /** whether the browser keeps drafts */
  kept: boolean
  onUpdate: (change: (bench: Workbench) => Workbench) => void
}

export const tabId = (id: number): string => `query-tab-${id}`
export const panelId = (id: number): string => `query-panel-${id}`

/**
 * Tabs of the open queries. Arrow keys move between them, Delete closes one. More keys are in the
 * list of shortcuts.
 */
export function QueryTabs({ bench, running, kept, onUpdate }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const { drafts, active, closed } = bench
  const focus = (): void => strip.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
  const press = (event: KeyboardEvent): void => {
    const { ctrlKey, altKey, metaKey } = event
    const move = ctrlKey || altKey || metaKey ? undefined : moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    onUpdate(move)
    // The newly selected tab takes the focus.
    requestAnimationFrame(focus)
  }
  useEffect(() => {
    strip.current?.querySelector(`#${tabId(active)}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])
  return (
    <div className="draft-bar">
      <div ref={strip} className="drafts" role="tablist" aria-label={t('Open queries')} tabIndex={-1} onKeyDown={press}>
        {drafts.map((draft) => (
          <Tab
            key={draft.id}
            draft={draft}
            shown={draft.id === active}
            running={running.includes(draft.id)}
            onUpdate={onUpdate}
          />
        ))}
      </div>
      <Button
        look="quiet"
        small
        aria-label={t('New query')}
        title={t('New query (Alt+N)')}
        onClick={() => onUpdate(add)}
      >
        <Icon name="plus" />
      </Button>
      {closed.length > 0 && (
        <Button
          look="quiet"
          small
          title={t('Reopen the last closed query (Alt+Shift+N)')}
          onClick={() => onUpdate(reopen)}
        >
          {t('Reopen')}
        </Button>
      )}
      {!kept && (
        <span className="warn small" role="status">
          {t('This browser does not store drafts. A reload deletes them.')}
        </span>
      )}
    </div>
  )
}

const moves: Record<string, (bench: Workbench) => Workbench> = {
  ArrowRight: (bench) => step(bench, 1),
  ArrowLeft: (bench) => step(bench, -1),
  Home: (bench) => show(bench, bench.drafts[0]?.id ?? bench.active),
  End: (bench) => show(bench, bench.drafts.at(-1)?.id ?? bench.active),
  Delete: (bench) => close(bench, bench.active),
}

interface TabProps {
  draft: Draft
  shown: boolean
  running: boolean
  onUpdate: Props['onUpdate']
}

function Tab({ draft, shown, running, onUpdate }: TabProps) {
  const title = useSavedName(draft, onUpdate) ?? titleOf(draft.text)
  return (
    <button
      type="button"
      role="tab"
      id={tabId(draft.id)}
      aria-selected={shown}
      aria-controls={shown ? panelId(draft.id) : undefined}
      aria-keyshortcuts="Delete"
      tabIndex={shown ? 0 : -1}
      title={title}
      onClick={() => onUpdate((bench) => show(bench, draft.id))}
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
      {/* For the pointer: a tab cannot contain a button, so the keyboard uses Delete. */}
      <span
        className="shut"
        aria-hidden="true"
        title={t('Close (Alt+W)')}
        onClick={(event) => {
          event.stopPropagation()
          onUpdate((bench) => close(bench, draft.id))
        }}
      >
        <Icon name="close" />
      </span>
    </button>
  )
}

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
