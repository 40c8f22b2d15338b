import { useId } from 'react'
import { useInStep } from '../../../components/fields/use-in-step'
import { type ReportUnsaid, useReportUnsaid } from '../../../components/fields/use-unsaid'
import { ScrollTable } from '../../../table/ScrollTable'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { describedBy } from '../../../ui/described-by'
import { ErrorText } from '../../../ui/ErrorText'
import { Icon } from '../../../ui/Icon'
import { TextField } from '../../../ui/inputs'
import { SuggestInput } from '../../../ui/SuggestInput'
import { columnsOf, isMapped, type Mapping, mappingProblem, plainRows, sampleRows } from './mapping'
import {
  archivePreset,
  columnTypes,
  type ColumnType,
  type MapRow,
  mapText,
  readMap,
  rowProblem,
  saysArchive,
  withRest,
} from './mapping-rows'
import type { Sample } from './sample'
import { sourceValue } from './source-value'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  sample: Sample
  mapping: Mapping
  onMapping: (part: Partial<Mapping>) => void
  onUnsaid: ReportUnsaid
}

/** The bins of the records with source, type and the value in the first row. In sync with the request. */
export function MappingTable({ sample, mapping, onMapping, onUnsaid }: Props) {
  const { rows, header } = mapping
  const columns = columnsOf(sample, header)
  const first = sampleRows(sample, header)[0]
  const mapped = isMapped(sample, mapping)
  const problem = mappingProblem(sample, mapping)
  const set = (at: number, part: Partial<MapRow>): void =>
    onMapping({ rows: rows.map((row, other) => (other === at ? { ...row, ...part } : row)) })
  const preset = mapped && saysArchive(rows)
  return (
    <Card
      title={t('Bins')}
      aside={
        mapped
          ? preset
            ? t('the nine bins of GitHub Archive events')
            : t('only the kept bins')
          : t('each column under its name')
      }
      end={
        <>
          {sample.format === 'ndjson' && !preset && (
            <Button small onClick={() => onMapping(archivePreset)}>
              {t('GitHub Archive')}
            </Button>
          )}
          {mapped && (
            <Button small onClick={() => onMapping({ rows: plainRows(sample, header) })}>
              {t('All columns')}
            </Button>
          )}
        </>
      }
    >
      <div className="stack-small">
        <ScrollTable label={t('Bins of the records')} caption={t('Bins of the records and their sources')}>
          <thead>
            <tr>
              <th scope="col">{t('keep')}</th>
              <th scope="col">{t('bin')}</th>
              <th scope="col">{t('from column or path')}</th>
              <th scope="col">{t('type')}</th>
              <th scope="col">{t('first value')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('remove')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row
                key={at}
                columns={columns}
                row={row}
                own={row.source === mapping.key && row.source !== ''}
                value={sourceValue(row.source, columns, first)}
                removable={!columns.includes(row.source)}
                onChange={(part) => set(at, part)}
                onRemove={() => onMapping({ rows: rows.filter((_, other) => other !== at) })}
              />
            ))}
          </tbody>
        </ScrollTable>
        <div className="row">
          <Button
            small
            onClick={() => onMapping({ rows: [...rows, { bin: '', source: '', type: 'auto', keep: true }] })}
          >
            <Say text="{icon}Add a bin" values={{ icon: <Icon name="plus" /> }} />
          </Button>
          {problem !== undefined && (
            <span className="bad small" role="status">
              {problem}
            </span>
          )}
        </div>
        <MapField
          said={mapped && problem === undefined ? mapText(rows) : ''}
          onSaid={(text) =>
            onMapping({ rows: text === '' ? plainRows(sample, header) : withRest(readMap(text) ?? [], columns) })
          }
          onUnsaid={onUnsaid}
        />
      </div>
    </Card>
  )
}

interface RowProps {
  columns: readonly string[]
  row: MapRow
  /** whether it is the key */
  own: boolean
  value: string | undefined
  removable: boolean
  onChange: (part: Partial<MapRow>) => void
  onRemove: () => void
}

function Row({ columns, row, own, value, removable, onChange, onRemove }: RowProps) {
  const { bin, source, type, keep } = row
  const name = bin === '' ? source : bin
  const problem = rowProblem(row)
  const problemId = useId()
  return (
    <tr className={keep ? undefined : 'mute'}>
      <td>
        <input
          type="checkbox"
          aria-label={t('Keep {name}', { name })}
          checked={keep}
          onChange={(event) => onChange({ keep: event.target.checked })}
        />
      </td>
      <td>
        <input
          className="input small mono bin-name"
          aria-label={t('Bin from {source}', { source })}
          {...describedBy(problem === undefined ? undefined : problemId)}
          value={bin}
          disabled={!keep}
          spellCheck={false}
          onChange={(event) => onChange({ bin: event.target.value })}
        />
        {own && <span className="badge accent">{t('key')}</span>}
        {problem !== undefined && <ErrorText id={problemId}>{problem}</ErrorText>}
      </td>
      <td>
        <SuggestInput
          className="input small mono"
          aria-label={t('Source of {name}', { name })}
          names={columns}
          value={source}
          disabled={!keep}
          placeholder="repo.id"
          onChange={(next) => onChange({ source: next })}
        />
      </td>
      <td>
        <select
          className="select small"
          aria-label={t('Type of {name}', { name })}
          value={type}
          disabled={!keep}
          onChange={(event) => onChange({ type: event.target.value as ColumnType })}
        >
          {columnTypes.map((known) => (
            <option key={known}>{known}</option>
          ))}
        </select>
      </td>
      <td>
        {value === undefined ? (
          <span className="mute">–</span>
        ) : (
          <span className="mono cell">{value.slice(0, 120)}</span>
        )}
      </td>
      <td>
        {removable && (
          <Button
            look="quiet"
            small
            aria-label={t('Remove {name}', { name: name === '' ? t('this bin') : name })}
            onClick={onRemove}
          >
            <Icon name="close" />
          </Button>
        )}
      </td>
    </tr>
  )
}

interface MapFieldProps {
  /** the mapping in the request; empty if it has none */
  said: string
  onSaid: (text: string) => void
  onUnsaid: ReportUnsaid
}

/** The same as text. */
function MapField({ said, onSaid, onUnsaid }: MapFieldProps) {
  const write = (typed: string): string | undefined => {
    if (typed.trim() === '') return ''
    const rows = readMap(typed)
    return rows === undefined ? undefined : mapText(rows)
  }
  const [typed, change, unsaid] = useInStep(said, (text) => text, write, onSaid)
  useReportUnsaid('map', unsaid, onUnsaid)
  return (
    <TextField
      label={t('As text')}
      mono
      value={typed}
      placeholder={t('each column under its name')}
      onChange={change}
      error={unsaid ? t('Enter comma-separated bin:source or bin:source:type, each bin once') : undefined}
    />
  )
}
