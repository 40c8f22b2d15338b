import type { Reject } from '../../api/types'
import { count, plural } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'

/** Lines that were not taken, and why; as a file for whoever mends them. */
export function RejectTable({ rejected, total }: { rejected: Reject[]; total: number }) {
  return (
    <div className="stack-small">
      <div className="spread">
        <strong>
          {plural(total, 'rejected line')}
          {total > rejected.length && <span className="mute"> (the first {count(rejected.length)} are listed)</span>}
        </strong>
        <Button
          small
          onClick={() => saveText('rejects.ndjson', `${rejected.map((reject) => JSON.stringify(reject)).join('\n')}\n`)}
        >
          Download rejects
        </Button>
      </div>
      <div style={{ maxHeight: 260, overflow: 'auto' }}>
        <DataTable
          label="Rejected lines"
          keyOf={({ line, code }) => `${line}${code}`}
          rows={rejected}
          columns={[
            { name: 'line', right: true, sort: ({ line }) => line, cell: ({ line }: Reject) => count(line) },
            { name: 'code', sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
            { name: 'field', cell: ({ field }) => field ?? '' },
            { name: 'why', cell: ({ message }) => <span className="wrap">{message}</span> },
          ]}
        />
      </div>
    </div>
  )
}

function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
