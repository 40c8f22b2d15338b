import {
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type Ref,
} from 'react'
import { saveFile } from '../../components/save-file'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { writeClipboard } from '../../ui/Copy'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'
import { ChartTable } from '../ChartTable'
import type { View } from '../spec/scale'
import type { ChartSpec } from '../spec/spec'
import { csvOf, tableOf, wordsOf } from '../spec/table'
import { TableToggle } from '../TableToggle'
import { useWidth } from '../use-width'
import { ChartCanvas, type Saves } from './ChartCanvas'
import type { MenuAction } from '../../ui/Menu'
import { ChartMenu } from './ChartMenu'
import { Legend, useLegend } from './Legend'
import { EventLane } from '../events/EventLane'
import { useKindActions } from '../events/EventKinds'
import { showsTime, useEvented } from '../events/source'
import { useLink, useLinked } from './link'
import { Overlay, type OverlayProps, type TipMore } from './Overlay'
import { useSource, type ChartSource } from './source'
import { useSeen } from './use-seen'
import { isTarget, keep, keepNames, keptNames, keptText, linkTo, nameOf } from './view-link'
import { t } from '../../language/text'

export interface ChartCardProps {
  title: string
  aside?: ReactNode
  /** choices of the page for this chart */
  controls?: ReactNode
  /** plain data, or a source whose data changes by itself */
  spec: ChartSpec | ChartSource
  height?: number
  /** what the chart shows in a sentence; unset: the newest values */
  describe?: (spec: ChartSpec) => string
  /** whether the table begins with the newest values */
  newestFirst?: boolean
  loading?: boolean
  /** what stands in place of a chart without any value on its axis; unset: the chart */
  empty?: string | undefined
  more?: TipMore
  /** whether a chart over time has its events below; charts that stand above another with the same x leave them to it */
  events?: boolean
  /** below the picture */
  children?: ReactNode
}

const HEIGHT = 150

/** A chart that people explore: picture, legend, cursor, zoom, table, files. */
export function ChartCard(props: ChartCardProps) {
  const { title, aside, controls, height = HEIGHT, newestFirst = false, empty, more, children } = props
  const { events = true } = props
  // All charts of a page get their data at once. In pieces, they do not hold up what the reader does meanwhile.
  const loading = useDeferredValue(props.loading ?? false)
  const card = useRef<HTMLElement>(null)
  const source = useSeen(useEvented(useSource(props.spec)), card)
  const link = useLink()
  const name = nameOf(title)
  const [hidden, setHidden] = useState<readonly string[]>(() => keptNames(name))
  const [asTable, setAsTable] = useState(() => keptText(name, 'table') !== undefined)
  const [failure, setFailure] = useState<unknown>()
  const zoom = useLinked(link, (state) => state.zoom)
  const view = useMemo<View>(() => ({ hidden, zoom }), [hidden, zoom])
  const saves = useRef<Saves>(null)
  const legend = useLegend(source)
  const kindActions = useKindActions()
  const hasEvents = useSyncExternalStore(source.subscribe, () => showsTime(source.read()))
  const isEmpty = useSyncExternalStore(
    source.subscribe,
    () => !loading && empty !== undefined && source.read().x.values.length === 0,
  )

  useEffect(() => link.name(name), [link, name])
  useEffect(() => {
    if (isTarget(name)) card.current?.scrollIntoView?.({ block: 'center' })
  }, [name])

  const hide = (names: readonly string[]): void => {
    setHidden(names)
    keepNames(name, names)
  }
  const showTable = (shown: boolean): void => {
    setAsTable(shown)
    keep(name, 'table', shown ? '1' : undefined)
  }
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setFailure(undefined)
    try {
      await act()
    } catch (error) {
      setFailure(error)
    }
  }
  const png = async (): Promise<void> => {
    const picture = await saves.current?.save(title)
    if (picture !== undefined) saveFile(`${title}.png`, picture)
  }
  const csv = (): void => saveFile(`${title}.csv`, new Blob([csvOf(source.read(), view)], { type: 'text/csv' }))
  const copyLink = async (): Promise<void> => {
    const here = document.activeElement instanceof HTMLElement ? document.activeElement : document.body
    const copied = await writeClipboard(linkTo(name), here)
    if (!copied) throw new Error('the browser does not let this page copy')
    toast(t('Link copied'))
  }
  const fullScreen = async (): Promise<void> => card.current?.requestFullscreen()
  const actions: MenuAction[] = [
    ...(asTable ? [] : [{ text: t('Save as PNG'), act: () => void attempt(png) }]),
    { text: t('Save as CSV'), act: csv },
    { text: t('Full screen'), act: () => void attempt(fullScreen) },
    { text: t('Copy link to this view'), act: () => void attempt(copyLink) },
    ...(hasEvents ? kindActions : []),
  ]
  const describe = props.describe ?? ((spec: ChartSpec) => wordsOf(title, spec))
  return (
    <Card
      ref={card}
      title={title}
      aside={aside}
      end={
        <>
          {controls}
          {zoom !== undefined && (
            <Button small onClick={() => link.zoomTo(undefined)} aria-label={t('Reset zoom of {title}', { title })}>
              {t('Reset zoom')}
            </Button>
          )}
          {!isEmpty && <TableToggle title={title} asTable={asTable} onChange={showTable} />}
          {!isEmpty && <ChartMenu title={title} actions={actions} />}
        </>
      }
    >
      <Problem error={failure} />
      {!isEmpty && <Legend title={title} {...legend} hidden={hidden} onChange={hide} />}
      {isEmpty ? (
        <div className="empty" style={{ minHeight: height }}>
          <strong>{empty}</strong>
        </div>
      ) : loading ? (
        <Skeleton lines={1} height={height} />
      ) : asTable ? (
        <Table {...{ source, view, describe, newestFirst }} />
      ) : (
        <Pane {...{ title, source, link, view, more, height, saves, describe }} />
      )}
      {hasEvents && events && !isEmpty && !asTable && <EventLane source={source} link={link} zoom={zoom} />}
      {children}
    </Card>
  )
}

interface PaneProps extends Omit<OverlayProps, 'width'>, DataProps {
  height: number
  saves: Ref<Saves>
}

/** The picture, and what lies over it. */
function Pane({ height, saves, describe, ...props }: PaneProps) {
  const [pane, width] = useWidth<HTMLDivElement>()
  return (
    <div ref={pane} className="pane" style={{ height }}>
      <ChartCanvas ref={saves} source={props.source} view={props.view} />
      <Description source={props.source} describe={describe} />
      <Overlay {...props} width={width} />
    </div>
  )
}

interface DataProps {
  source: ChartSource
  describe: (spec: ChartSpec) => string
}

/** The description of the chart. It is written in place, so that new data does not render every second. */
function Description({ source, describe }: DataProps) {
  const words = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const write = (): void => words.current?.setAttribute('aria-label', describe(source.read()))
    write()
    return source.subscribe(write)
  })
  return <span ref={words} className="visually-hidden" role="img" />
}

function Table({ source, describe, view, newestFirst }: DataProps & { view: View; newestFirst: boolean }) {
  const spec = useSyncExternalStore(source.subscribe, source.read)
  const { head, rows } = useMemo(() => tableOf(spec, view), [spec, view])
  return <ChartTable caption={describe(spec)} head={head} rows={newestFirst ? rows.toReversed() : rows} />
}
