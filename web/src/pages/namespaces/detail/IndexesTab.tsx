import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../../api/use-may'
import { AdviceCards } from '../../indexes/AdviceCards'
import { IndexList } from '../../indexes/IndexList'
import { useNamespace } from './use-namespace'
import { t } from '../../../language/text'

/** The document and range indexes of this namespace. */
export function IndexesTab() {
  const { name } = useNamespace()
  const [unused, setUnused] = useState(false)
  const may = useMay()
  const creates = may('createIndex', { namespace: name })
  return (
    <>
      <IndexList
        ns={name}
        unused={unused}
        onUnused={setUnused}
        create={
          creates && (
            <Link to="/indexes" search={{ ns: name, create: true }} className="btn primary">
              {t('Create an index')}
            </Link>
          )
        }
      />
      {may('adviseIndexes', { namespace: name }) && <AdviceCards ns={name} />}
    </>
  )
}
