import { useRef, useState } from 'react'
import { bytes } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'

/** Takes one file, by choice or by dropping it. */
export function FileDrop({
  file,
  disabled,
  onFile,
}: {
  file: File | undefined
  disabled: boolean
  onFile: (file: File) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  return (
    <Card title={t('File')} aside={t('CSV, NDJSON or MessagePack; .gz and .zst too')}>
      <div
        className={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          const dropped = event.dataTransfer.files[0]
          if (dropped !== undefined && !disabled) onFile(dropped)
        }}
      >
        {file === undefined ? (
          <span className="mute">{t('Drop a file here, or')}</span>
        ) : (
          <span>
            <strong>{file.name}</strong> <span className="num mute">{bytes(file.size)}</span>
          </span>
        )}
        <Button disabled={disabled} onClick={() => input.current?.click()}>
          {file === undefined ? t('Choose a file') : t('Choose another')}
        </Button>
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label={t('File to import')}
          accept=".csv,.ndjson,.jsonl,.json,.msgpack,.mp,.gz,.zst,.zstd,text/csv,application/x-ndjson,application/msgpack"
          onChange={(event) => {
            const chosen = event.target.files?.[0]
            if (chosen !== undefined) onFile(chosen)
            event.target.value = ''
          }}
        />
      </div>
    </Card>
  )
}
