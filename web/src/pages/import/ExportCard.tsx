import { useState } from 'react'
import { here } from '../../base-path'
import { SetPicker } from '../../components/fields/pickers'
import { useCurl } from '../../components/use-curl'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'

/** Downloads a namespace or a set; the gateway streams, so size does not matter. */
export function ExportCard({ ns }: { ns: string }) {
  const [set, setSet] = useState<string>()
  const [metadata, setMetadata] = useState(true)
  const curlOf = useCurl()
  const path = (format: string): string =>
    `/api/v1/namespaces/${encodeURIComponent(ns)}/export?${new URLSearchParams({
      ...(set !== undefined && { set }),
      format,
      ...(format === 'csv' && { metadata: String(metadata) }),
    })}`
  return (
    <Card title="Export" aside={`from ${ns}, streamed`}>
      <div className="stack">
        <div className="export-row">
          <SetPicker label="Set to export" ns={ns} value={set} onChange={setSet} absent="all sets" />
          <a className="btn" href={here(path('ndjson'))} download>
            Download NDJSON
          </a>
          <a className="btn" href={here(path('csv'))} download>
            Download CSV
          </a>
        </div>
        <label className="check">
          <input type="checkbox" checked={metadata} onChange={({ target: { checked } }) => setMetadata(checked)} />
          <span>CSV with set and expiry, so that an import reads the same records</span>
        </label>
        <CodeBlock
          label="The same call with curl"
          text={`${curlOf({ method: 'GET', path: path('ndjson') })} > ${set === undefined || set === '' ? ns : set}.ndjson`}
        />
      </div>
    </Card>
  )
}
