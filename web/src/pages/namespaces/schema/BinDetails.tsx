import { useEffect, useMemo, useRef, useState } from 'react'
import type { BinProfile, PathProfile } from '../../../api/types'
import { DataTable } from '../../../table/DataTable'
import type { ColumnDef } from '../../../table/column'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { valueColumns } from './bin-columns'
import { sizeBars, spreadBars } from './bars'
import { Histogram } from './Histogram'
import { ValueDetails } from './ValueDetails'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

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
            <Say text="Bin <code>{name}</code>" values={{ name }} />
          </>
        }
        end={
          <Button small onClick={onClose}>
            {t('Close')}
          </Button>
        }
      >
        <ValueDetails ns={ns} set={set} place={{ bin: name, path: undefined }} of={bin} sampled={sampled} />
      </Card>
      {paths.length > 0 && (
        <Card
          title={t('Paths inside {name}', { name })}
          aside={
            bin.otherPaths > 0
              ? t('the first 100 paths, at most 6 steps deep; choose one to see its values')
              : t('at most 6 steps deep; choose one to see its values')
          }
          flush
        >
          <DataTable
            label={t('Paths inside {name}', { name })}
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
              <Say text="Path <code>{path}</code>" values={{ path: path.path }} />
            </>
          }
          aside={t('found in {records, plural, one {# record} other {# records}} of the sample', {
            records: path.records,
          })}
          end={
            <Button small onClick={() => setChosen(undefined)}>
              {t('Close')}
            </Button>
          }
        >
          <ValueDetails ns={ns} set={set} place={{ bin: name, path: path.path }} of={path} sampled={sampled} />
        </Card>
      )}
      <div className="grid-2">
        {histogram !== undefined && (
          <Card
            title={histogram.of === 'value' ? t('Numbers') : t('Lengths')}
            aside={t('of the first 512 values of the sample')}
          >
            <Histogram label={histogram.of === 'value' ? t('Numbers') : t('Lengths')} bars={spreadBars(histogram)} />
          </Card>
        )}
        <Card title={t('Sizes of its values')} aside={t('as JSON')}>
          <Histogram label={t('Sizes of its values')} bars={sizeBars(bin.sizes)} />
        </Card>
      </div>
    </>
  )
}

/** Paths from which on only those in view are drawn. */
const LONG = 40

const pathColumn = (choose: (path: string) => void): ColumnDef<PathProfile> => ({
  name: 'path',
  label: t('path'),
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
