import { OwnershipFields } from '../../../components/OwnershipFields'
import { Card } from '../../../ui/Card'
import { Help } from '../../../ui/Help'
import { plainChoices, SelectField } from '../../../ui/inputs'
import type { NamespaceForm, Problems } from './form'

const SEGMENTS = ['16', '64', '256', '1024', '4096'] as const

const containers = [
  { value: 'segmented', words: 'A map of its own for each segment: each has its lock, its indexes and its counters.' },
  {
    value: 'flat',
    words:
      'One map for all segments, behind one lock: to measure what segmentation is worth, not to serve. No sets with a distribution bin.',
  },
] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
}

/** How many segments there are, what holds them, and which of them are this node's. */
export function SegmentFields({ form, set, problems }: Props) {
  const { nodes, owners, self } = form
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
          <fieldset className="choices">
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
            {problems.container !== undefined && (
              <div className="field">
                <div className="error" role="alert">
                  {problems.container}
                </div>
              </div>
            )}
          </fieldset>
        )}
        <label className="check">
          <input type="checkbox" checked={form.owned} onChange={(event) => set({ owned: event.target.checked })} />
          <span>Ownership: this is one of several nodes, each of which owns some of the segments</span>
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
          Records are spread over segments by the digest of their key. Each segment has its own lock, its own slice of
          every index and its own counters, so scans, loads and index builds run on as many threads as there are
          segments. 256 suits up to some hundred million records; fewer save a little memory for tiny namespaces. With
          ownership every node finds the same owners of a segment; sizes, counts, scans, queries, streams and exports
          take the segments of which this node is primary, and a record is read and written wherever it is sent. It can
          change later.
        </Help>
      </div>
    </Card>
  )
}
