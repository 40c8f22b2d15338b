import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { verifyAudit } from '../../api/actions'
import type { AuditHead, AuditReport } from '../../api/types'
import { bytes, count } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { CopyButton } from '../../ui/Copy'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

const HASH = /^[0-9a-f]{64}$/

/** Where the log stands, and whether its files are what was written. */
export function VerifyCard({ head }: { head: AuditHead }) {
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const legal = wanted === '' || HASH.test(wanted)
  const verify = useMutation({ mutationFn: () => verifyAudit(wanted === '' ? undefined : wanted) })
  return (
    <Card title={t('Proof')} aside={t('{bytes}; keep the newest hash elsewhere', { bytes: bytes(head.bytes) })}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (legal) verify.mutate()
        }}
      >
        <p className="row">
          <Say
            text="Entry {seq} <code>{hash}</code>"
            values={{ seq: count(head.seq), code: (parts) => <code className="hash">{parts}</code>, hash: head.hash }}
          />
          <CopyButton text={head.hash} label={t('Copy hash')} />
        </p>
        <TextField
          label={t('A hash that you kept')}
          mono
          value={typed}
          onChange={setTyped}
          error={legal ? undefined : t('Enter the 64 hex digits of a hash, or nothing')}
          hint={t('Without one, only what is in the files is compared')}
        />
        <div className="row end">
          <span role="status">{verify.data !== undefined && <Verdict report={verify.data} />}</span>
          <Button type="submit" busy={verify.isPending} disabled={!legal}>
            {t('Verify')}
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
        {fault.line > 0
          ? t('{file}, line {line}, entry {seq}: {message}', { ...fault })
          : t('{file}, entry {seq}: {message}', { ...fault })}
      </span>
    )
  return (
    <span className="badge good">
      {t('{entries, plural, one {# entry} other {# entries}} as written', { entries })}
      {headSeq !== undefined && t('; the hash is that of entry {headSeq}', { headSeq: count(headSeq) })}
      {removedSegments !== undefined &&
        t('; {removedSegments, plural, one {# older file} other {# older files}} removed by the retention', {
          removedSegments,
        })}
    </span>
  )
}
