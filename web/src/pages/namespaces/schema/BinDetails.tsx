import { useEffect, useMemo, useRef, useState } from 'react'
import type { BinProfile, PathProfile } from '../../../api/types'
import { plural } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import type { ColumnDef } from '../../../table/column'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { valueColumns } from './bin-columns'
import { sizeBars, spreadBars } from './bars'
import { Histogram } from './Histogram'
import { ValueDetails } from './ValueDetails'

interface Props {
  ns: string
  set: string | undefined
  bin: BinProfile
  sampled: boolean
  onClose: () => void
}

/** One bin in full: its values, the paths inside it, lengths and sizes. */
export function BinDetails({ ns, set, bin, sampled, onClose }: Props) {
  const card = useRef<HTMLElement>(null)
  const { name, paths, histogram } = bin
  const [chosen, setChosen] = useState<string>()
  const path = paths.find((one) => one.path === chosen)
  // The card is below the table that it was opened from.
  useEffect(() => card.current?.focus(), [])
  const columns = useMemo(
    (): ColumnDef<PathProfile>[] => [pathColumn(setChosen), ...valueColumns<PathProfile>((row) => row.path, sampled)],
    [sampled],
  )
  return (
    <>
      <Card
        ref={card}
        title={
          <>
            Bin <code>{name}</code>
          </>
        }
        end={
          <Button small onClick={onClose}>
            Close
          </Button>
        }
      >
        <ValueDetails ns={ns} set={set} place={{ bin: name, path: undefined }} of={bin} sampled={sampled} />
      </Card>
      {paths.length > 0 && (
        <Card
          title={`Paths inside ${name}`}
          aside={
            bin.otherPaths > 0
              ? 'the first 100 paths, at most 6 steps deep; choose one to see its values'
              : 'at most 6 steps deep; choose one to see its values'
          }
          flush
        >
          <DataTable
            label={`Paths inside ${name}`}
            columns={columns}
            rows={paths}
            keyOf={(row) => row.path}
            long={paths.length > LONG}
          />
        </Card>
      )}
      {path !== undefined && (
        <Card
          title={
            <>
              Path <code>{path.path}</code>
            </>
          }
          aside={`found in ${plural(path.records, 'record')} of the sample`}
          end={
            <Button small onClick={() => setChosen(undefined)}>
              Close
            </Button>
          }
        >
          <ValueDetails ns={ns} set={set} place={{ bin: name, path: path.path }} of={path} sampled={sampled} />
        </Card>
      )}
      <div className="grid-2">
        {histogram !== undefined && (
          <Card title={histogram.of === 'value' ? 'Numbers' : 'Lengths'} aside="of the first 512 values of the sample">
            <Histogram label={histogram.of === 'value' ? 'Numbers' : 'Lengths'} bars={spreadBars(histogram)} />
          </Card>
        )}
        <Card title="Sizes of its values" aside="as JSON">
          <Histogram label="Sizes of its values" bars={sizeBars(bin.sizes)} />
        </Card>
      </div>
    </>
  )
}

/** Paths from which on only those in view are drawn. */
const LONG = 40

const pathColumn = (choose: (path: string) => void): ColumnDef<PathProfile> => ({
  name: 'path',
  sort: ({ path }) => path,
  cell: ({ path, depth }) => (
    <button
      type="button"
      className="link long-name"
      style={{ paddingInlineStart: `${(depth - 1) * 12}px` }}
      onClick={() => choose(path)}
    >
      <code>{path}</code>
    </button>
  ),
})
