import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../../api/problem'
import type { Ownership, VersionedNamespace } from '../../../api/types'
import { CurlLine } from '../../../components/CurlLine'
import { OwnershipFields } from '../../../components/fields/OwnershipFields'
import {
  ownershipOf,
  ownershipProblems,
  textsOf,
  type OwnershipProblems,
  type OwnershipTexts,
} from '../../../components/fields/ownership'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import { useChange } from './use-change'

const usual: OwnershipTexts = { nodes: '4', owners: '2', self: '0' }

/** Sets, changes or removes the ownership of a namespace. */
export function OwnershipCard({ namespace }: { namespace: VersionedNamespace }) {
  const { name, config } = namespace
  const queries = useQueryClient()
  const now = config.ownership
  const [edited, setEdited] = useState<OwnershipTexts | null>()
  // undefined: not edited. null: no ownership.
  const texts = edited === undefined ? (now === undefined ? null : textsOf(now)) : edited
  const wanted = texts === null ? null : ownershipOf(texts)
  const problems = texts === null ? {} : ownershipProblems(texts)
  const legal = Object.keys(problems).length === 0
  const changed = !same(wanted, now ?? null)
  const { save, etag } = useChange(namespace, {
    edited: edited !== undefined,
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: ['namespaces', name, 'segments'] })
      setEdited(undefined)
      toast(wanted === null ? 'Ownership removed' : 'Ownership saved')
    },
  })
  const edit = (next: OwnershipTexts | null): void => {
    if (save.isError) save.reset()
    setEdited(next)
  }
  return (
    <Card title="Ownership" aside="which segments this node owns; takes effect at once">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (legal && changed) save.mutate({ ownership: wanted })
        }}
      >
        <label className="check">
          <input
            type="checkbox"
            checked={texts !== null}
            onChange={(event) => edit(event.target.checked ? (now === undefined ? usual : textsOf(now)) : null)}
          />
          <span>Several nodes share the segments</span>
        </label>
        {texts !== null && (
          <OwnershipFields texts={texts} problems={{ ...refusalOf(save.error), ...problems }} onChange={edit} />
        )}
        <p className="mute small">
          Sizes, counts, scans, queries, streams and exports cover the segments this node is the primary owner of. No
          records move: any node can read or write any record.
        </p>
        {changed && legal && (
          <CurlLine
            method="PATCH"
            path={`/api/v1/namespaces/${encodeURIComponent(name)}`}
            body={JSON.stringify({ ownership: wanted })}
            headers={{ 'If-Match': etag }}
          />
        )}
        <Problem error={save.error} />
        <div className="row end">
          <Button type="submit" look="primary" disabled={!changed || !legal} busy={save.isPending}>
            Set ownership
          </Button>
        </div>
      </form>
    </Card>
  )
}

function same(a: Ownership | null, b: Ownership | null): boolean {
  return a?.nodes === b?.nodes && a?.owners === b?.owners && a?.self === b?.self
}

/** The server's refusal at the field that it names, such as `ownership.self`. */
function refusalOf(error: unknown): OwnershipProblems {
  if (!(error instanceof ApiProblem)) return {}
  const field = (['nodes', 'owners', 'self'] as const).find((one) => error.field?.endsWith(one))
  return field === undefined ? {} : { [field]: error.message }
}
