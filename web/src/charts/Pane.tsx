import { useState, type ReactNode } from 'react'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { type ChartOption } from './echarts'
import { useEChart } from './use-echart'

interface Props {
  title: string
  aside?: ReactNode
  end?: ReactNode
  /** what the chart shows now, for those who cannot see it */
  description: string
  height: number
  option: ChartOption
  overlay?: ReactNode
  table: { head: string[]; rows: () => string[][] }
}

/** A chart in a card, with its overlay and a table of the same numbers. */
export function Pane({ title, aside, end, description, height, option, overlay, table }: Props) {
  const [asTable, setAsTable] = useState(false)
  return (
    <Card
      title={title}
      aside={aside}
      end={
        <>
          {end}
          <Button
            small
            look="quiet"
            aria-label={asTable ? `Show ${title} as chart` : `Show ${title} as table`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </>
      }
    >
      {asTable ? (
        <ChartTable caption={description} {...table} />
      ) : (
        <Chart description={description} height={height} option={option} overlay={overlay} />
      )}
    </Card>
  )
}

function Chart({ description, height, option, overlay }: Pick<Props, 'description' | 'height' | 'option' | 'overlay'>) {
  const host = useEChart(option)
  return (
    <div className="pane">
      <div ref={host} className="chart" style={{ height }} role="img" aria-label={description} />
      {overlay}
    </div>
  )
}

function ChartTable({ caption, head, rows }: { caption: string; head: string[]; rows: () => string[][] }) {
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
          {rows().map((row) => (
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
