import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { openapiQuery } from '../../api/queries'
import { here } from '../../base-path'
import { useCurl } from '../../components/use-curl'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { OperationList } from './OperationList'
import { operationsOf } from './operations'
import { OperationView } from './OperationView'

/** Every operation of the API, read from its own OpenAPI document: what it does, and a form that sends it. */
export function ApiPage() {
  const { data: document, error } = useQuery(openapiQuery())
  const operations = useMemo(() => operationsOf(document), [document])
  const { op, q } = useSearch({ from: '/api' })
  const navigate = useNavigate({ from: '/api' })
  const operation = operations.find(({ id }) => id === op)
  return (
    <Page title="API">
      <Problem error={error} />
      {document === undefined && error === null && (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
      {document !== undefined && (
        <div className="with-form api">
          <OperationList
            operations={operations}
            chosen={op}
            search={q ?? ''}
            onSearch={(text) =>
              void navigate({ search: (now) => ({ ...now, q: text === '' ? undefined : text }), ...inPlace })
            }
          />
          {operation === undefined ? (
            <Introduction missing={op} />
          ) : (
            <OperationView key={operation.id} document={document} operation={operation} />
          )}
        </div>
      )}
    </Page>
  )
}

function Introduction({ missing }: { missing: string | undefined }) {
  const curlOf = useCurl()
  return (
    <Card title="Everything in this console is a call to this API">
      <div className="stack">
        {missing !== undefined && (
          <p role="alert">
            This server has no operation <code>{missing}</code>.
          </p>
        )}
        <p>Choose an operation to read what it does, and to send it. From a terminal, send a token with each call:</p>
        <CodeBlock label="Example" text={curlOf({ method: 'GET', path: '/api/v1/status' })} />
        <p className="mute">
          Each page shows its calls in the footer. The document of the API is{' '}
          <a href={here('/api/v1/openapi.json')}>/api/v1/openapi.json</a>, failures are in the{' '}
          <a href={here('/docs/errors')}>table of errors</a>, Prometheus reads <a href={here('/metrics')}>/metrics</a>.
        </p>
      </div>
    </Card>
  )
}
