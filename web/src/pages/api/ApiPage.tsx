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
import { chosen } from '../../language/chosen'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Every operation of the API, read from its own OpenAPI document: what it does, and a form that sends it. */
export function ApiPage() {
  const { data: document, error } = useQuery(openapiQuery())
  const operations = useMemo(() => operationsOf(document), [document])
  const { op, q } = useSearch({ from: '/api' })
  const navigate = useNavigate({ from: '/api' })
  const operation = operations.find(({ id }) => id === op)
  return (
    <Page title={t('API')}>
      {chosen !== 'en' && (
        <p className="mute small">
          {t('The document of the API is in English, as its names are: what an operation does, and its fields.')}
        </p>
      )}
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
    <Card title={t('Everything in this console is a call to this API')}>
      <div className="stack">
        {missing !== undefined && (
          <p role="alert">
            <Say text="This server has no operation <code>{missing}</code>." values={{ missing }} />
          </p>
        )}
        <p>
          {t('Choose an operation to read what it does, and to send it. From a terminal, send a token with each call:')}
        </p>
        <CodeBlock label={t('Example')} text={curlOf({ method: 'GET', path: '/api/v1/status' })} />
        <p className="mute">
          <Say
            text="Each page shows its calls in the footer. The document of the API is <a>/api/v1/openapi.json</a>, failures are in the <a2>table of errors</a2>, Prometheus reads <a3>/metrics</a3>."
            values={{
              a: (parts) => <a href={here('/api/v1/openapi.json')}>{parts}</a>,
              a2: (parts) => <a href={here('/docs/errors')}>{parts}</a>,
              a3: (parts) => <a href={here('/metrics')}>{parts}</a>,
            }}
          />
        </p>
      </div>
    </Card>
  )
}
