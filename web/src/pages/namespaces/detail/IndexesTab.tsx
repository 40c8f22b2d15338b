import { Link } from '@tanstack/react-router'
import { IndexList } from '../../indexes/IndexList'
import { useNamespace } from './use-namespace'

/** The document and range indexes of this namespace. */
export function IndexesTab() {
  const { name } = useNamespace()
  return (
    <IndexList
      namespaces={[name]}
      create={
        <Link to="/indexes" search={{ ns: name, create: true }} className="btn primary">
          Create an index
        </Link>
      }
    />
  )
}
