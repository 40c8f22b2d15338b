import { Button } from '../ui/Button'

interface Props {
  title: string
  asTable: boolean
  onChange: (asTable: boolean) => void
}

/** Shows a chart's numbers as a table, and the chart again. */
export function TableToggle({ title, asTable, onChange }: Props) {
  const other = asTable ? 'chart' : 'table'
  return (
    <Button small look="quiet" aria-label={`Show ${title} as ${other}`} onClick={() => onChange(!asTable)}>
      {asTable ? 'Chart' : 'Table'}
    </Button>
  )
}
