import { Link } from '@tanstack/react-router'
import type { PartialNamespace } from '../../api/types'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'

/** Namespaces of which the caller may see some sets only, with links to their records. */
export function PartialCard({ namespaces }: { namespaces: PartialNamespace[] }) {
  return (
    <Card title={t('Namespaces with some sets')} aside={t('you may see these sets only')} flush>
      <DataTable
        label={t('Namespaces with some sets')}
        rows={namespaces}
        keyOf={({ name }) => name}
        columns={[
          { name: 'name', label: t('name'), sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
          {
            name: 'sets',
            label: t('sets'),
            cell: ({ name, sets }) => (
              <div className="row">
                {sets.map((set) => (
                  <Link key={set} to="/records" search={{ ns: name, set }}>
                    {set}
                  </Link>
                ))}
                {sets.length === 0 && t('no set yet')}
              </div>
            ),
          },
        ]}
      />
    </Card>
  )
}
