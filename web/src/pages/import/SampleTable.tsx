import { ScrollTable } from '../../table/ScrollTable'
import { Card } from '../../ui/Card'
import { columnTypes, type ColumnType, type Mapping } from './mapping'
import type { Sample } from './sample'

/** The first rows as the browser reads them, with a type a column (CSV; NDJSON has its own). */
export function SampleTable({
  sample,
  mapping,
  onMapping,
}: {
  sample: Sample
  mapping: Mapping
  onMapping: (part: Partial<Mapping>) => void
}) {
  if (sample.columns.length === 0) {
    return (
      <Card title="First rows">
        <p className="mute">
          {sample.compression === 'zstd'
            ? 'Browsers cannot open zstd; the gateway can. Use the dry run to see rows.'
            : 'No row found in the beginning of this file.'}
        </p>
      </Card>
    )
  }
  const first = sample.format === 'csv' && !mapping.header ? [sample.columns, ...sample.rows] : sample.rows
  const names =
    sample.format === 'csv' && !mapping.header ? sample.columns.map((_, index) => `column${index + 1}`) : sample.columns
  return (
    <Card
      title="First rows"
      aside={`${sample.format.toUpperCase()}${sample.compression === 'identity' ? '' : `, ${sample.compression}`} · ${names.length} columns`}
      flush
    >
      <ScrollTable label="First rows" caption="First rows of the file">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
                {name === mapping.key && <span className="badge accent"> key</span>}
              </th>
            ))}
          </tr>
          {sample.format === 'csv' && (
            <tr>
              {names.map((name) => (
                <td key={name}>
                  <select
                    className="select small"
                    aria-label={`Type of ${name}`}
                    value={mapping.types[name] ?? 'auto'}
                    onChange={(event) =>
                      onMapping({ types: { ...mapping.types, [name]: event.target.value as ColumnType } })
                    }
                  >
                    {columnTypes.map((type) => (
                      <option key={type}>{type}</option>
                    ))}
                  </select>
                </td>
              ))}
            </tr>
          )}
        </thead>
        <tbody>
          {first.map((row, index) => (
            <tr key={index}>
              {names.map((name, at) => (
                <td key={name}>
                  <span className="mono cell">{(row[at] ?? '').slice(0, 120)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Card>
  )
}
