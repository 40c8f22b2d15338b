import { useState } from 'react'
import { saveFile } from '../../components/save-file'
import { useOwnSignal } from '../../components/use-own-signal'
import { bytes } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { type ExportFormat, exportQuery } from './export'

interface Props {
  ns: string
  path: string
  body: string
  valid: boolean
}

/** The whole result as a file: the request is run once more. */
export function ExportCard({ ns, path, body, valid }: Props) {
  const [received, setReceived] = useState<number>()
  const [said, setSaid] = useState('')
  const [error, setError] = useState<unknown>()
  const { begin: beginSignal, stop } = useOwnSignal()
  const running = received !== undefined
  const begin = async (format: ExportFormat): Promise<void> => {
    const signal = beginSignal()
    setReceived(0)
    setSaid('')
    setError(undefined)
    try {
      const file = await exportQuery(path, body, { format, signal, onBytes: setReceived })
      saveFile(`${ns}.query.${format}`, file)
      setSaid(`${bytes(file.size)} in ${ns}.query.${format}`)
    } catch (failure) {
      if (signal.aborted) setSaid('Stopped: no file was written.')
      else setError(failure)
    }
    setReceived(undefined)
  }
  return (
    <Card title="Export" aside="the whole result, as a file">
      <div className="stack-small">
        <div className="row">
          <Button small disabled={!valid || running} onClick={() => void begin('ndjson')}>
            NDJSON
          </Button>
          <Button
            small
            disabled={!valid || running}
            title="With the columns that are chosen, or else those of the first rows"
            onClick={() => void begin('csv')}
          >
            CSV
          </Button>
          {running && (
            <Button small look="danger" onClick={stop}>
              Stop
            </Button>
          )}
          <span className="mute small" role="status">
            {running ? bytes(received) : said}
          </span>
        </div>
        <Problem error={error} />
      </div>
    </Card>
  )
}
