import type { Namespace } from '../../../api/types'
import { dateTime } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'

/** Losses that were accepted to open the namespace. */
export function LossesCard({ losses }: Pick<Namespace, 'losses'>) {
  if (losses.length === 0) return null
  return (
    <Card title={t('Accepted losses')} aside={t('accepted to open this namespace')}>
      <DataTable
        label={t('Accepted losses')}
        rows={losses}
        keyOf={({ at, code, message }) => `${at} ${code} ${message}`}
        columns={[
          { name: 'accepted', label: t('accepted'), sort: ({ at }) => at, cell: ({ at }) => dateTime(Date.parse(at)) },
          { name: 'code', label: t('code'), cell: ({ code }) => <code>{code}</code> },
          { name: 'lost data', label: t('lost data'), cell: ({ message }) => message },
        ]}
      />
    </Card>
  )
}
