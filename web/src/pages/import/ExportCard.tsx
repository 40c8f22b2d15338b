import { useState } from 'react'
import { shellQuote } from '../../api/curl'
import { exportPath, type FileFormat } from '../../api/export-path'
import { basePath, here } from '../../base-path'
import { SetPicker } from '../../components/fields/pickers'
import { useCurl } from '../../components/use-curl'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'
import { t } from '../../language/text'

/** Downloads a namespace or a set; the gateway streams, so size does not matter. */
export function ExportCard({ ns }: { ns: string }) {
  const [set, setSet] = useState<string>()
  const [metadata, setMetadata] = useState(true)
  const curlOf = useCurl()
  const path = (format: FileFormat): string => exportPath(ns, { set, format, ...(format === 'csv' && { metadata }) })
  const file = `${set === undefined || set === '' ? ns : set}.ndjson`
  return (
    <Card title={t('Export')} aside={t('from {ns}, streamed', { ns })}>
      <div className="stack">
        <div className="export-row">
          <SetPicker label={t('Set to export')} ns={ns} value={set} onChange={setSet} absent="all sets" />
          <a className="btn" href={here(path('ndjson'))} download>
            {t('Download NDJSON')}
          </a>
          <a className="btn" href={here(path('csv'))} download>
            {t('Download CSV')}
          </a>
          <a className="btn" href={here(path('msgpack'))} download>
            {t('Download MessagePack')}
          </a>
        </div>
        <label className="check">
          <input type="checkbox" checked={metadata} onChange={({ target: { checked } }) => setMetadata(checked)} />
          <span>{t('CSV with set, generation and expiry, so that an import reads the same records')}</span>
        </label>
        <CodeBlock
          label={t('The same call with curl')}
          text={`${curlOf({ method: 'GET', path: path('ndjson') })} > ${file}`}
        />
        <CodeBlock
          label={t('A large export: if it breaks off, the same command goes on')}
          text={`tessera --url ${location.origin}${basePath} export ${shellQuote(ns)}${set === undefined ? '' : ` --set ${shellQuote(set)}`} --resume ${file}`}
        />
      </div>
    </Card>
  )
}
