import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bytes, count } from '../../format'
import { readPacked } from '../../records/client'
import { hexLines } from '../../records/hex'
import type { RecordKey } from '../../records/key'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { PartPager } from './PartPager'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Bytes shown at once. */
const PART = 4096

interface Props {
  ns: string
  set: string
  target: RecordKey
  /** the version to show */
  etag: string
}

/** The stored record as bytes. Nobody edits them here. */
export function HexView({ ns, set, target, etag }: Props) {
  const [part, setPart] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: ['record-bytes', ns, set, target.type, target.text, etag],
    queryFn: () => readPacked(ns, set, target),
    gcTime: 0,
  })
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={6} />
  const from = part * PART
  return (
    <div className="stack-small">
      <p className="mute small">
        <Say
          text="The stored record in MessagePack, as <code>Accept: application/msgpack</code> answers it: {size}. It can only be read."
          values={{
            size: data.length < 1024 ? bytes(data.length) : `${count(data.length)} B (${bytes(data.length)})`,
          }}
        />
      </p>
      <pre className="json hex" tabIndex={0} aria-label={t('Record as bytes')}>
        {hexLines(data, from, from + PART)}
      </pre>
      <PartPager part={part} parts={Math.ceil(data.length / PART)} onPart={setPart} />
    </div>
  )
}
