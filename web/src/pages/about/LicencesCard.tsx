import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { licencesQuery } from '../../api/about'
import type { LicenceList } from '../../api/types'
import { t } from '../../language/text'
import type { ColumnDef } from '../../table/column'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'

type Part = LicenceList['items'][number]

const columns: ColumnDef<Part>[] = [
  {
    name: 'part',
    label: t('part'),
    sort: ({ name }) => name,
    cell: ({ name }) => <strong>{name}</strong>,
  },
  { name: 'version', label: t('version'), cell: ({ version }) => version },
  { name: 'licence', label: t('licence'), sort: ({ licence }) => licence, cell: ({ licence }) => licence },
  { name: 'registry', label: t('registry'), low: 1, sort: ({ source }) => source, cell: ({ source }) => source },
]

/** The licences of all parts, read if somebody asks. */
export function LicencesCard() {
  const [shown, setShown] = useState(false)
  const { data, error } = useQuery({ ...licencesQuery(), enabled: shown })
  return (
    <Card
      title={t('Licences')}
      aside={t('Tessera is under Apache-2.0; its parts are under licences of their own')}
      flush={data !== undefined}
    >
      {!shown && <Button onClick={() => setShown(true)}>{t('Show the licences of all parts')}</Button>}
      <Problem error={error} />
      {shown && data === undefined && error === null && <Skeleton lines={6} />}
      {data !== undefined && (
        <DataTable
          label={t('Licences of all parts')}
          list="licences"
          noun={(n) => t('{n, plural, one {# part} other {# parts}}', { n })}
          columns={columns}
          rows={data.items}
          keyOf={({ source, name, version }) => `${source} ${name} ${version}`}
          long
        />
      )}
    </Card>
  )
}
