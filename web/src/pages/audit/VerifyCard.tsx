import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { verifyAudit } from '../../api/actions'
import type { AuditHead, AuditReport } from '../../api/types'
import { bytes, count, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { CopyButton } from '../../ui/Copy'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'

const HASH = /^[0-9a-f]{64}$/

/** Where the log stands, and whether its files are what was written. */
export function VerifyCard({ head }: { head: AuditHead }) {
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const legal = wanted === '' || HASH.test(wanted)
  const verify = useMutation({ mutationFn: () => verifyAudit(wanted === '' ? undefined : wanted) })
  return (
    <Card title="Proof" aside={`${bytes(head.bytes)}; keep the newest hash elsewhere`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) verify.mutate()
        }}
      >
        <p className="row">
          Entry {count(head.seq)} <code className="hash">{head.hash}</code>
          <CopyButton text={head.hash} label="Copy hash" />
        </p>
        <TextField
          label="A hash that you kept"
          mono
          value={typed}
          onChange={setTyped}
          error={legal ? undefined : 'Enter the 64 hex digits of a hash, or nothing'}
          hint="Without one, only what is in the files is compared"
        />
        <div className="row end">
          <span role="status">{verify.data !== undefined && <Verdict report={verify.data} />}</span>
          <Button type="submit" busy={verify.isPending} disabled={!legal}>
            Verify
          </Button>
        </div>
        <Problem error={verify.error} />
      </form>
    </Card>
  )
}

function Verdict({ report: { ok, entries, headSeq, removedSegments, fault } }: { report: AuditReport }) {
  if (!ok && fault !== undefined)
    return (
      <span className="badge bad">
        {fault.file}
        {fault.line > 0 && `, line ${fault.line}`}, entry {fault.seq}: {fault.message}
      </span>
    )
  return (
    <span className="badge good">
      {plural(entries, 'entry', (n) => count(n))} as written
      {headSeq !== undefined && `; the hash is that of entry ${count(headSeq)}`}
      {removedSegments !== undefined && `; ${plural(removedSegments, 'older file')} removed by the retention`}
    </span>
  )
}
