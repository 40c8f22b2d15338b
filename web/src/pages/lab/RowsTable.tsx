import type { LabReport } from '../../api/types'
import { cellText } from './cells'

interface Props {
  label: string
  columns: readonly { key: string; label: string }[]
  rows: LabReport['rows']
}

/** Rows of figures, published or measured. */
export function RowsTable({ label, columns, rows }: Props) {
  const words = (key: string): boolean => rows.some((row) => typeof row[key] === 'string')
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={`Table: ${label}`}>
      <table className="table">
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ key, label: name }) => (
              <th key={key} scope="col" className={words(key) ? undefined : 'right'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ key }) => (
                <td key={key} className={words(key) ? undefined : 'right'}>
                  {cellText(key, row[key])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
