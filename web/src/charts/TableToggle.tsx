import { Button } from '../ui/Button'
import { t } from '../language/text'

interface Props {
  title: string
  asTable: boolean
  onChange: (asTable: boolean) => void
}

/** Shows a chart's numbers as a table, and the chart again. */
export function TableToggle({ title, asTable, onChange }: Props) {
  const other = asTable ? 'chart' : 'table'
  return (
    <Button
      small
      look="quiet"
      aria-label={t('Show {title} as {other}', { title, other })}
      onClick={() => onChange(!asTable)}
    >
      {asTable ? t('Chart') : t('Table')}
    </Button>
  )
}
