import { ScrollTable } from '../../../table/ScrollTable'
import { Card } from '../../../ui/Card'
import { fileFormatName } from '../../../api/export-path'
import { columnsOf, type Mapping, sampleRows } from './mapping'
import { firstOf } from './mapping-rows'
import type { Sample } from './sample'
import { t } from '../../../language/text'

/** The first rows as the browser reads them. Columns without a bin are dimmed. */
export function SampleTable({ sample, mapping: { header, key, rows } }: { sample: Sample; mapping: Mapping }) {
  const { format, compression } = sample
  const names = columnsOf(sample, header)
  if (names.length === 0) {
    return (
      <Card title={t('First rows')}>
        <p className="mute">
          {compression === 'zstd'
            ? t('Browsers cannot read zstd. Use the dry run to see the rows.')
            : t('No rows at the beginning of this file.')}
        </p>
      </Card>
    )
  }
  const used = new Set(rows.filter(({ keep }) => keep).map(({ source }) => firstOf(source, names)))
  const look = (name: string): string | undefined => (used.has(name) || name === key ? undefined : 'mute')
  return (
    <Card
      title={t('First rows')}
      aside={[
        fileFormatName(format),
        ...(compression === 'identity' ? [] : [compression]),
        t('{names, plural, one {# column} other {# columns}}', { names: names.length }),
      ].join(' · ')}
      flush
    >
      <ScrollTable label={t('First rows')} caption={t('First rows of the file')}>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
                {name === key && <span className="badge accent"> {t('key')}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sampleRows(sample, header).map((row, index) => (
            <tr key={index}>
              {names.map((name, at) => (
                <td key={name} className={look(name)}>
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
