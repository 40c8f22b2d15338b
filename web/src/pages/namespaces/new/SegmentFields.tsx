import { useId } from 'react'
import { OwnershipFields } from '../../../components/fields/OwnershipFields'
import { Card } from '../../../ui/Card'
import { ErrorText } from '../../../ui/ErrorText'
import { Help } from '../../../ui/Help'
import { plainChoices, SelectField } from '../../../ui/inputs'
import type { NamespaceForm, Problems } from './fields'

const SEGMENTS = ['16', '64', '256', '1024', '4096'] as const

const containers = [
  { value: 'segmented', words: 'One map per segment, each with its own lock, indexes and counters.' },
  {
    value: 'flat',
    words:
      'One map for all segments behind one lock. Use it only to measure what segments are worth. Sets cannot have a distribution bin.',
  },
] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** Number of segments, container and ownership. */
export function SegmentFields({ form, set, problems }: Props) {
  const { nodes, owners, self } = form
  const id = useId()
  return (
    <Card title="Segments and owners">
      <div className="stack">
        <SelectField
          label="Segments"
          value={form.segments}
          choices={plainChoices(SEGMENTS)}
          onChange={(segments) => set({ segments })}
          hint="Fixed for the namespace's life"
        />
        {form.engine === 'memory' && (
          <fieldset className="choices" aria-describedby={problems.container === undefined ? undefined : id}>
            <legend>Container</legend>
            {containers.map(({ value, words }) => (
              <label key={value} className="choice">
                <input
                  type="radio"
                  name="container"
                  checked={form.container === value}
                  onChange={() => set({ container: value })}
                />
                <span>
                  <strong>{value}</strong>
                  <span className="mute">{words}</span>
                </span>
              </label>
            ))}
            {problems.container !== undefined && <ErrorText id={id}>{problems.container}</ErrorText>}
          </fieldset>
        )}
        <label className="check">
          <input type="checkbox" checked={form.owned} onChange={(event) => set({ owned: event.target.checked })} />
          <span>Ownership: several nodes share the segments</span>
        </label>
        {form.owned && (
          <OwnershipFields
            texts={{ nodes, owners, self }}
            problems={{
              ...(problems.nodes !== undefined && { nodes: problems.nodes }),
              ...(problems.owners !== undefined && { owners: problems.owners }),
              ...(problems.self !== undefined && { self: problems.self }),
            }}
            onChange={set}
          />
        )}
        <Help>
          The digest of a key chooses the segment of its record. Each segment has its own lock, counters and part of
          every index, so scans, imports and index builds can use one thread per segment. 256 segments suit up to
          several hundred million records. Fewer segments save a little memory in tiny namespaces. With ownership,
          sizes, counts, scans, queries, streams and exports cover the segments this node is the primary owner of. Any
          node can read or write any record. Ownership can change later.
        </Help>
      </div>
    </Card>
  )
}
