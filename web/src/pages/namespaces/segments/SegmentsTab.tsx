import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { segmentsQuery } from '../../../api/queries'
import { inPlace } from '../../../search'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { mapOf } from './segment-map'
import { SegmentMapCard } from './SegmentMapCard'
import { SegmentRecords } from './SegmentRecords'
import { SegmentTiles } from './SegmentTiles'
import { useHeat } from './use-heat'
import { t } from '../../../language/text'

const POLL_MS = 2000
/** In a flat container, the answer needs a walk over all records, so poll less often. */
const FLAT_POLL_MS = 10_000

/** The segments of a namespace with owners, size and heat, and the records of one segment. */
export function SegmentsTab() {
  const { name, config } = useNamespace()
  const { segment: opened } = useSearch({ from: '/namespaces/$ns/segments' })
  const navigate = useNavigate({ from: '/namespaces/$ns/segments' })
  const { data, dataUpdatedAt, error } = useQuery({
    ...segmentsQuery(name),
    refetchInterval: config.container === 'flat' ? FLAT_POLL_MS : POLL_MS,
  })
  const heat = useHeat(data === undefined ? undefined : { at: dataUpdatedAt, segments: data.items })
  const map = useMemo(() => (heat === undefined ? undefined : mapOf(heat, config)), [heat, config])
  const at = map?.segments.findIndex(({ segment }) => segment === opened) ?? -1
  /** the element with the focus when a segment was opened; undefined if it was opened by its address */
  const [opener, setOpener] = useState<Element>()
  const mapCard = useRef<HTMLElement>(null)
  const show = (segment: number | undefined): void => void navigate({ search: { segment }, ...inPlace })
  const open = (segment: number): void => {
    setOpener(document.activeElement ?? document.body)
    show(segment)
  }
  const close = (): void => {
    const back = opener instanceof HTMLElement && mapCard.current?.contains(opener) === true ? opener : mapCard.current
    back?.focus()
    setOpener(undefined)
    show(undefined)
  }
  return (
    <>
      <Problem error={error} />
      {map === undefined && error === null && (
        <Card title={t('Segments')}>
          <Skeleton lines={6} height={24} />
        </Card>
      )}
      {map !== undefined && (
        <>
          <SegmentTiles map={map} />
          <SegmentMapCard ref={mapCard} ns={name} map={map} opened={at === -1 ? undefined : at} onOpen={open} />
          {at !== -1 && opened !== undefined && (
            <SegmentRecords key={opened} ns={name} map={map} at={at} focused={opener !== undefined} onClose={close} />
          )}
          {at === -1 && opened !== undefined && (
            <p className="note small" role="status">
              {t('No such segment: {opened}.', { opened })}
            </p>
          )}
        </>
      )}
    </>
  )
}
