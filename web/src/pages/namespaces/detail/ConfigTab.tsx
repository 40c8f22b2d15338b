import { useState } from 'react'
import { useMay } from '../../../api/use-may'
import type { VersionedNamespace } from '../../../api/types'
import { RoleNeeded } from '../../../components/access/RoleNeeded'
import { CurlLine } from '../../../components/CurlLine'
import { bytes, duration } from '../../../format'
import { ScrollTable } from '../../../table/ScrollTable'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { TextField } from '../../../ui/inputs'
import { Problem } from '../../../ui/Problem'
import { toast } from '../../../ui/toast'
import { OwnershipCard } from './OwnershipCard'
import { ReadsCard } from './ReadsCard'
import { settingsOf } from './settings'
import { useChange } from './use-change'
import { useNamespace } from './use-namespace'

/** The settings that can change, and the meaning of their values. */
const changes = {
  defaultTtlSeconds: {
    label: 'Default TTL, seconds',
    words: (value: number) => (value === 0 ? 'never expire' : duration(value)),
  },
  maxRecordBytes: { label: 'Largest record, bytes', words: bytes },
  stopWritesPercent: {
    label: 'Stop writes at, percent',
    words: (value: number) => `writes that add data are refused at ${value}% full`,
  },
  evictAtPercent: {
    label: 'Evict at, percent',
    words: (value: number) =>
      value === 0 ? 'no eviction' : `at ${value}% full, the records that expire first are removed early`,
  },
} as const

/** All settings of a namespace; those that can change live have a field, if the caller may change them. */
export function ConfigTab() {
  const namespace = useNamespace()
  const { name, config, mutable } = namespace
  if (!useMay()('updateNamespace', { namespace: name }))
    return (
      <>
        <SettingsCard namespace={namespace} />
        <RoleNeeded what="Changing them" operation="updateNamespace" />
      </>
    )
  return (
    <div className="grid-2 top">
      <SettingsCard namespace={namespace} />
      <div className="stack">
        <LiveCard namespace={namespace} />
        {mutable.includes('reads') && config.durability === 'commit' && <ReadsCard namespace={namespace} />}
        {mutable.includes('ownership') && <OwnershipCard namespace={namespace} />}
      </div>
    </div>
  )
}

function SettingsCard({ namespace: { name, config, mutable } }: { namespace: VersionedNamespace }) {
  return (
    <Card title="Settings">
      <ScrollTable label={`Settings of ${name}`}>
        <thead>
          <tr>
            <th scope="col">setting</th>
            <th scope="col">value</th>
            <th scope="col">change</th>
          </tr>
        </thead>
        <tbody className="wrapped">
          {settingsOf(config).map(({ key, label, text }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td className="num">{text}</td>
              <td>
                {mutable.includes(key) ? (
                  <span className="badge good">live</span>
                ) : (
                  <span className="badge">fixed</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Card>
  )
}

/** Fields of the settings that are numbers. */
function LiveCard({ namespace }: { namespace: VersionedNamespace }) {
  const { name, config, mutable } = namespace
  const [edits, setEdits] = useState<Record<string, string>>({})
  const typed = Object.entries(edits).filter(([, text]) => text !== '')
  const ready = typed.length > 0 && typed.every(([, text]) => isWhole(text))
  const patch = Object.fromEntries(typed.map(([key, text]) => [key, Number(text)]))
  const { save, etag } = useChange(namespace, {
    edited: typed.length > 0,
    onSaved: () => {
      setEdits({})
      toast('Settings saved')
    },
  })
  return (
    <Card title="Change live" aside="takes effect at once; no restart">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(patch)
        }}
      >
        {(Object.keys(changes) as (keyof typeof changes)[])
          .filter((key) => mutable.includes(key))
          .map((key) => {
            const now = config[key] ?? 0
            const text = edits[key] ?? ''
            const legal = text === '' || isWhole(text)
            return (
              <TextField
                key={key}
                label={changes[key].label}
                inputMode="numeric"
                mono
                value={text}
                placeholder={String(now)}
                hint={legal ? changes[key].words(Number(text || now)) : undefined}
                error={legal ? undefined : 'A whole number'}
                onChange={(value) => {
                  if (save.isError) save.reset()
                  setEdits({ ...edits, [key]: value })
                }}
              />
            )
          })}
        {ready && (
          <CurlLine
            method="PATCH"
            path={`/api/v1/namespaces/${encodeURIComponent(name)}`}
            body={JSON.stringify(patch)}
            headers={{ 'If-Match': etag }}
          />
        )}
        <Problem error={save.error} />
        <div className="row end">
          <Button type="submit" look="primary" disabled={!ready} busy={save.isPending}>
            Apply
          </Button>
        </div>
      </form>
    </Card>
  )
}

const isWhole = (text: string): boolean => /^\d+$/.test(text)
