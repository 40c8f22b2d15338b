import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { ChartGroup } from '../../charts/card/ChartGroup'
import { ChartLink } from '../../charts/card/link'
import { EventScope } from '../../charts/events/scope'
import { RangeControl } from '../../components/RangeControl'
import { Streamed } from '../../components/Streamed'
import type { Feed } from '../../live/feed'
import { OPERATIONS } from '../../live/filter'
import { useRange } from '../../live/range'
import { useFeed, useFeedValue } from '../../live/use-feed'
import { LiveView } from '../../live/view'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { SmallSelect, wordChoices } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Later } from '../../ui/Later'
import { Segmented } from '../../ui/Segmented'
import { CompareCards } from './compare/CompareCards'
import { HeatPane } from './HeatPane'
import { LoadPane } from './LoadPane'
import { NamespaceChoice } from './NamespaceChoice'
import { NowTiles } from './NowTiles'
import type { LiveSearch } from './search'
import { SelectionTable } from './SelectionTable'
import { SharePane } from './SharePane'
import { SlowMoment } from './SlowMoment'
import { useMoment } from './use-moment'
import { t } from '../../language/text'
import { operationWords, sideWords } from '../../components/api-words'
import { Tip } from '../../ui/Tip'

/** Live latency of every operation, per second, from raw histograms. */
export function LivePage() {
  const search = useSearch({ from: '/live' })
  const navigate = useNavigate({ from: '/live' })
  const set = (part: Partial<LiveSearch>): void => void navigate({ search: (old) => ({ ...old, ...part }), ...inPlace })
  const [paused, setPaused] = useState(false)
  const [link] = useState(() => new ChartLink(true))
  const { ms: windowMs, stepMs, words } = useRange()
  const feed = useFeed(windowMs, stepMs)
  useEffect(() => feed.pause(paused), [feed, paused])
  useMoment(link, search.at, stepMs)
  const view = useMemo(
    () => new LiveView(feed, { namespace: search.ns, op: search.op, side: search.side }),
    [feed, search.ns, search.op, search.side],
  )
  const label =
    search.side === 'engine' ? t('engine: request decoded to reply ready') : t('gateway: HTTP in to last byte')
  return (
    <Page
      title={t('Live latency')}
      controls={
        <>
          <NamespaceChoice feed={feed} value={search.ns} onChange={(ns) => set({ ns })} />
          <SmallSelect
            label={t('Operation')}
            value={search.op ?? ''}
            choices={[{ value: '', label: t('all operations') }, ...wordChoices(OPERATIONS, operationWords)]}
            onChange={(op) => set({ op: op === '' ? undefined : op })}
          />
          <Segmented
            label={t('Side')}
            value={search.side}
            choices={wordChoices(['engine', 'gateway'] as const, sideWords)}
            onChange={(side) => set({ side })}
          />
          <RangeControl
            onChange={(window) => {
              link.select(undefined)
              link.zoomTo(undefined)
              set({ window, at: undefined })
            }}
          />
          <Tip text={paused ? t('Resume') : t('Pause')}>
            <Button
              small
              aria-pressed={paused}
              aria-label={paused ? t('Resume') : t('Pause')}
              onClick={() => setPaused(!paused)}
            >
              <Icon name={paused ? 'play' : 'pause'} />
            </Button>
          </Tip>
        </>
      }
    >
      <FeedProblem feed={feed} />
      <Streamed>
        <NowTiles feed={feed} namespace={search.ns} side={search.side} />
        <div className="with-side">
          <ChartGroup link={link}>
            <EventScope value={search.ns}>
              <div className="stack">
                <HeatPane
                  view={view}
                  label={label}
                  absolute={search.scale === 'count'}
                  onAbsolute={(absolute) => set({ scale: absolute ? 'count' : 'share' })}
                />
                <SharePane view={view} scale={search.within} onScale={(within) => set({ within })} />
                <LoadPane view={view} />
              </div>
            </EventScope>
          </ChartGroup>
          <div className="stack">
            <SelectionTable view={view} link={link} words={words} />
            <SlowMoment link={link} namespace={search.ns} op={search.op} side={search.side} />
          </div>
        </div>
        <Later>
          <CompareCards view={view} link={link} chosen={search.with} onChoose={(other) => set({ with: other })} />
        </Later>
      </Streamed>
      <p className="visually-hidden" role="status">
        {paused ? t('Paused. New data is still recorded.') : ''}
      </p>
    </Page>
  )
}

function FeedProblem({ feed }: { feed: Feed }) {
  const error = useFeedValue(feed, ({ error: reason }) => reason)
  return error === undefined ? null : <Problem error={error} />
}
