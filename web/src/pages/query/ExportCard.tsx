import { useRef, useState } from 'react'
import { saveFile } from '../../components/save-file'
import { count } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { exportQuery } from './export'

interface Props {
  ns: string
  path: string
  body: string
  valid: boolean
}

type Format = 'ndjson' | 'csv'

/** The whole result as a file: the request is run once more. */
export function ExportCard({ ns, path, body, valid }: Props) {
  const [lines, setLines] = useState<number>()
  const [said, setSaid] = useState('')
  const [error, setError] = useState<unknown>()
  const controller = useRef<AbortController | undefined>(undefined)
  const running = lines !== undefined
  const begin = async (format: Format): Promise<void> => {
    const own = new AbortController()
    controller.current = own
    setLines(0)
    setSaid('')
    setError(undefined)
    try {
      const { file, lines: all } = await exportQuery(path, body, { format, signal: own.signal, onLines: setLines })
      saveFile(`${ns}.query.${format}`, file)
      setSaid(`${count(all)} rows in ${ns}.query.${format}`)
    } catch (failure) {
      if (own.signal.aborted) setSaid('Stopped: no file was written.')
      else setError(failure)
    }
    setLines(undefined)
  }
  return (
    <Card title="Export" aside="the whole result, as a file">
      <div className="stack-small">
        <div className="row">
          <Button small disabled={!valid || running} onClick={() => void begin('ndjson')}>
            NDJSON
          </Button>
          <Button small disabled={!valid || running} onClick={() => void begin('csv')}>
            CSV
          </Button>
          {running && (
            <Button small look="danger" onClick={() => controller.current?.abort()}>
              Stop
            </Button>
          )}
          <span className="mute small" role="status">
            {running ? `${count(lines)} rows` : said}
          </span>
        </div>
        <Problem error={error} />
      </div>
    </Card>
  )
}
