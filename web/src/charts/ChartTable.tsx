interface Props {
  caption: string
  head: string[]
  /** texts of the cells; the first text of a row identifies it */
  rows: string[][]
}

/** The numbers of a chart, as a table. */
export function ChartTable({ caption, head, rows }: Props) {
  return (
    <div className="chart-table" tabIndex={0} role="region" aria-label={caption}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" className={index === 0 ? undefined : 'right'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell, index) => (
                <td key={index} className={index === 0 ? 'num' : 'right'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
