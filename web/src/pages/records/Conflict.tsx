import { useQuery } from '@tanstack/react-query'
import { generationOf, type StoredRecord } from '../../records/client'
import { parseExact, printExact } from '../../records/json'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'

interface Props {
  error: unknown
  mine: string
  /** whether `mine` can be sent */
  valid: boolean
  theirs: () => Promise<StoredRecord>
  onReload: () => void
  onOverwrite: (etag: string) => void
}

/** A lost race with another writer: shows both versions and lets the user choose. */
export function Conflict({ error, mine, valid, theirs, onReload, onOverwrite }: Props) {
  const { data } = useQuery({ queryKey: ['conflict', mine], queryFn: theirs, staleTime: 0, gcTime: 0 })
  return (
    <div className="stack">
      <Problem error={error} />
      <div className="grid-2">
        <div className="stack-small">
          <h3>Your version</h3>
          <pre className="json" tabIndex={0} aria-label="Your version">
            {printExact(parseExact(mine), 2)}
          </pre>
        </div>
        <div className="stack-small">
          <h3>Stored version{data === undefined ? '' : `, generation ${generationOf(data.record)}`}</h3>
          {data === undefined ? (
            <Skeleton lines={4} />
          ) : (
            <pre className="json" tabIndex={0} aria-label="Stored version">
              {printExact(data.record['bins'] ?? {}, 2)}
            </pre>
          )}
        </div>
      </div>
      <div className="row end">
        <Button onClick={onReload}>Reload the stored version</Button>
        <Button
          look="danger"
          disabled={!valid || data === undefined}
          onClick={() => {
            if (data !== undefined) onOverwrite(data.etag)
          }}
        >
          Overwrite with your version
        </Button>
      </div>
    </div>
  )
}
