import { useQuery } from '@tanstack/react-query'
import { openapiQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { here } from '../../base-path'
import { useCurl } from '../../components/use-curl'
import { Page } from '../../shell/Page'
import { DataTable } from '../../table/DataTable'
import { Card } from '../../ui/Card'
import { CodeBlock, CopyButton } from '../../ui/Copy'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { callsOf, type ApiCall } from './calls-of'

/** Every call of the API, read from its own OpenAPI document. */
export function ApiPage() {
  const { data, error } = useQuery({ ...openapiQuery(), select: callsOf })
  const curlOf = useCurl()
  const isAdmin = useMay()('createToken')
  const groups = Map.groupBy(data ?? [], ({ tag }) => tag)
  return (
    <Page
      title="API"
      controls={
        <a className="btn small" href={here('/docs')}>
          Reference
        </a>
      }
    >
      <Card title="Everything in this console is a call to this API">
        <div className="stack">
          <p className="mute">
            Each page shows its calls in the footer. From a terminal, send{' '}
            {isAdmin ? 'the administrator token' : 'an API token, which an administrator makes for you'}:
          </p>
          <CodeBlock label="Example" text={curlOf({ method: 'GET', path: '/api/v1/status' })} />
          <p className="mute">
            The data API that is compatible with other gateways is under <code>/v1</code>; Prometheus reads{' '}
            <a href={here('/metrics')}>/metrics</a>; the document is{' '}
            <a href={here('/api/v1/openapi.json')}>/api/v1/openapi.json</a>.
          </p>
        </div>
      </Card>
      <Problem error={error} />
      {data === undefined && error === null && (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
      {[...groups].map(([tag, calls]) => (
        <Card key={tag} title={tag} flush>
          <DataTable
            label={`Calls of ${tag}`}
            keyOf={({ method, path }) => method + path}
            rows={calls}
            columns={[
              { name: 'method', cell: (call: ApiCall) => <span className="badge accent mono">{call.method}</span> },
              { name: 'path', cell: (call) => <code>{call.path}</code> },
              { name: 'does', cell: (call) => <span className="wrap">{call.summary}</span> },
              {
                name: 'copy',
                actions: true,
                cell: (call) => (
                  <CopyButton
                    label="Copy as curl"
                    text={curlOf({ method: call.method, path: call.path, body: call.example })}
                  />
                ),
              },
            ]}
          />
        </Card>
      ))}
    </Page>
  )
}
