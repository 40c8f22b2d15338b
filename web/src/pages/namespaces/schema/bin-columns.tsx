import type { BinProfile } from '../../../api/types'
import { bytes, count } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { Extremes } from './Extremes'
import { distinctText, distinctWords, percent } from './profile-words'
import { SparkBars } from './SparkBars'
import { TypeBar } from './TypeBar'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

type Shared = Omit<BinProfile, 'name' | 'sizes' | 'meanBytes' | 'paths' | 'otherPaths'>

/** Columns of what bins and paths both have. `sampled`: numbers of the whole set are estimates. */
export function valueColumns<Row extends Shared>(nameOf: (row: Row) => string, sampled: boolean): ColumnDef<Row>[] {
  return [
    {
      name: 'types',
      label: t('types'),
      sort: ({ types }) => types[0]?.type ?? '',
      cell: ({ types }) => <TypeBar types={types} />,
    },
    {
      name: 'has it',
      label: t('has it'),
      right: true,
      sort: ({ share }) => share,
      cell: ({ share }) => percent(share),
    },
    {
      name: 'null',
      label: t('null'),
      low: 4,
      right: true,
      sort: ({ nulls }) => nulls,
      cell: ({ nulls, records }) =>
        nulls === 0 ? <span className="mute">{t('none')}</span> : percent(nulls / Math.max(1, records)),
    },
    {
      name: 'different',
      label: t('different'),
      low: 1,
      right: true,
      sort: ({ distinct }) => (sampled ? distinct.set.about : distinct.sample),
      cell: ({ distinct }) => (
        <Tip text={distinctWords(distinct, sampled)}>
          <span>{distinctText(distinct, sampled)}</span>
        </Tip>
      ),
    },
    { name: 'from and to', label: t('from and to'), low: 3, cell: (row) => <Extremes of={row} /> },
    {
      name: 'spread',
      label: t('spread'),
      low: 2,
      cell: (row) => <SparkBars name={nameOf(row)} histogram={row.histogram} />,
    },
  ]
}

export function binColumns(open: (bin: string) => void, sampled: boolean): ColumnDef<BinProfile>[] {
  return [
    {
      name: 'bin',
      label: t('bin'),
      sort: ({ name }) => name,
      cell: ({ name }) => (
        <button type="button" className="link long-name" onClick={() => open(name)}>
          <code>{name}</code>
        </button>
      ),
    },
    ...valueColumns<BinProfile>(({ name }) => name, sampled),
    {
      name: 'mean size',
      label: t('mean size'),
      low: 5,
      right: true,
      sort: ({ meanBytes }) => meanBytes,
      cell: ({ meanBytes }) => bytes(meanBytes),
    },
    {
      name: 'paths',
      label: t('paths'),
      low: 6,
      right: true,
      sort: ({ paths }) => paths.length,
      cell: ({ paths }) => (paths.length === 0 ? <span className="mute">–</span> : count(paths.length)),
    },
  ]
}
