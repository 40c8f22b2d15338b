interface Props {
  caption: string
  head: string[]
  /** texts of the cells */
  rows: string[][]
}

/** The numbers of a chart, as a table. */
export function ChartTable({ caption, head, rows }: Props) {
  const keys = keysOf(rows)
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
          {rows.map((row, at) => (
            <tr key={keys[at]}>
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

/** What identifies the rows as they move: their first texts, and for equal ones their order. */
function keysOf(rows: string[][]): string[] {
  const seen = new Map<string, number>()
  return rows.map(([first = '']) => {
    const before = seen.get(first) ?? 0
    seen.set(first, before + 1)
    return `${first} ${before}`
  })
}
