import { count } from '../format'
import type { Groups } from '../records/groups'
import { ScrollTable } from '../table/ScrollTable'

/** Groups with their figures, and a bar for the first figure. */
export function GroupTable({ groups: { by, figures, rows }, total }: { groups: Groups; total: number }) {
  return (
    <div className="stack-small">
      <span className="mute">
        {total > rows.length ? `first ${count(rows.length)} of ${count(total)} groups` : `${count(total)} groups`}
      </span>
      <ScrollTable label="Groups">
        <thead>
          <tr>
            {by.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {figures.map((name) => (
              <th key={name} scope="col" className="right">
                {name}
              </th>
            ))}
            <td className="group-bar" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {by.map((name) => (
                <td key={name}>
                  <span className="cell">{row.by[name] ?? <span className="mute">none</span>}</span>
                </td>
              ))}
              {figures.map((name) => (
                <td key={name} className="right">
                  {row.figures[name] ?? '–'}
                </td>
              ))}
              <td className="group-bar" aria-hidden="true">
                <b style={{ width: `${row.share * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </div>
  )
}
