import { useState } from 'react'
import type { FileFormat } from '../../api/export-path'
import type { CsvLeftOut } from '../../api/types'
import { saveFile } from '../../components/save-file'
import { useOwnSignal } from '../../components/use-own-signal'
import { bytes } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { exportQuery, leftOutOf } from './export'
import { leftOutWords } from './left-out'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  ns: string
  path: string
  body: string
  valid: boolean
}

/** Downloads the whole result as a file; this runs the request again. */
export function ExportCard({ ns, path, body, valid }: Props) {
  const [received, setReceived] = useState<number>()
  const [said, setSaid] = useState('')
  /** values missing from the file */
  const [lacks, setLacks] = useState<CsvLeftOut>()
  const [error, setError] = useState<unknown>()
  const { begin: beginSignal, stop } = useOwnSignal()
  const running = received !== undefined
  const begin = async (format: FileFormat): Promise<void> => {
    const signal = beginSignal()
    setReceived(0)
    setSaid('')
    setLacks(undefined)
    setError(undefined)
    try {
      const { file, jobId } = await exportQuery(path, body, { format, signal, onBytes: setReceived })
      saveFile(`${ns}.query.${format}`, file)
      setSaid(t('{size} in {ns}.query.{format}', { size: bytes(file.size), ns, format }))
      if (format === 'csv' && jobId !== undefined) setLacks(await leftOutOf(jobId))
    } catch (failure) {
      if (signal.aborted) setSaid(t('Stopped. No file was written.'))
      else setError(failure)
    }
    setReceived(undefined)
  }
  return (
    <Card title={t('Export')} aside={t('the whole result, as a file')}>
      <div className="stack-small">
        <div className="row">
          <Button small disabled={!valid || running} onClick={() => void begin('ndjson')}>
            {t('NDJSON')}
          </Button>
          <Button small disabled={!valid || running} onClick={() => void begin('csv')}>
            {t('CSV')}
          </Button>
          <Button small disabled={!valid || running} onClick={() => void begin('msgpack')}>
            {t('MessagePack')}
          </Button>
          {running && (
            <Button small look="danger" onClick={stop}>
              {t('Stop')}
            </Button>
          )}
          <span className="mute small" role="status">
            {running ? bytes(received) : said}
          </span>
        </div>
        <p className="mute small">
          <Say text="CSV has the columns that <code>select</code> names; without it, the bins of the first rows." />
        </p>
        {lacks !== undefined && (
          <p className="note warn" role="status">
            {leftOutWords(lacks)}
          </p>
        )}
        <Problem error={error} />
      </div>
    </Card>
  )
}
