import { useState } from 'react'
import type { VersionedNamespace } from '../../../api/types'
import { CurlLine } from '../../../components/CurlLine'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import { useChange } from './use-change'

const choices = [
  {
    value: 'committed',
    words: 'Only what survives a crash. A read of a record that is being written waits for its flush.',
  },
  { value: 'latest', words: 'The newest version, acknowledged or not. Reads never wait.' },
] as const

/** Chooses whether reads show writes that are not acknowledged yet. */
export function ReadsCard({ namespace }: { namespace: VersionedNamespace }) {
  const { name, config } = namespace
  const now = config.reads ?? 'committed'
  const [edited, setEdited] = useState<'committed' | 'latest'>()
  const reads = edited ?? now
  const { save, etag } = useChange(namespace, {
    edited: edited !== undefined,
    onSaved: () => {
      setEdited(undefined)
      toast('Reads saved')
    },
  })
  const choose = (value: typeof reads): void => {
    if (save.isError) save.reset()
    setEdited(value)
  }
  return (
    <Card title="Reads" aside="what they show while a write is not on disk yet">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (reads !== now) save.mutate({ reads })
        }}
      >
        <fieldset className="choices">
          <legend className="visually-hidden">Reads</legend>
          {choices.map(({ value, words }) => (
            <label key={value} className="choice">
              <input type="radio" name="reads" checked={reads === value} onChange={() => choose(value)} />
              <span>
                <strong>{value}</strong>
                <span className="mute">{words}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {reads !== now && (
          <CurlLine
            method="PATCH"
            path={`/api/v1/namespaces/${encodeURIComponent(name)}`}
            body={JSON.stringify({ reads })}
            headers={{ 'If-Match': etag }}
          />
        )}
        <Problem error={save.error} />
        <div className="row end">
          <Button type="submit" look="primary" disabled={reads === now} busy={save.isPending}>
            Apply
          </Button>
        </div>
      </form>
    </Card>
  )
}
