import { Link } from '@tanstack/react-router'
import type { BinProfile, PathProfile } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { count } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import type { ColumnDef } from '../../../table/column'
import { indexOf, type PlaceOf, whereOf } from './links'
import { distinctWords, equalWords, percent } from './profile-words'

interface Props {
  ns: string
  set: string | undefined
  place: PlaceOf
  of: BinProfile | PathProfile
  sampled: boolean
}

type Top = BinProfile['top'][number]

/** What is known of the values at one place: how many differ, which come most often, and what they are good for. */
export function ValueDetails({ ns, set, place, of, sampled }: Props) {
  const creates = useMay()('createIndex', { namespace: ns })
  const { bin, path } = place
  const index = indexOf(place, of)
  const columns: ColumnDef<Top>[] = [
    {
      name: 'value',
      cell: ({ json, cut }) => (
        <code className="cut" title={json}>
          {cut ? `${json} …` : json}
        </code>
      ),
    },
    { name: 'share', right: true, sort: ({ count: found }) => found, cell: ({ share }) => percent(share) },
    { name: 'in the sample', low: 1, right: true, cell: ({ count: found }) => count(found) },
    {
      name: 'actions',
      actions: true,
      cell: (top) => {
        const where = whereOf(place, top)
        return (
          where !== undefined && (
            <Link to="/query" search={{ ns, set, where }} className="btn small">
              Find records
            </Link>
          )
        )
      },
    },
  ]
  return (
    <div className="stack">
      <p>
        {distinctWords(of.distinct, sampled)} {of.equal.to > 0 && equalWords(of.equal)}
      </p>
      {of.top.length > 0 && (
        <DataTable
          label={path === undefined ? `Most frequent values of ${bin}` : `Most frequent values of ${bin} at ${path}`}
          columns={columns}
          rows={of.top}
          keyOf={({ json }) => json}
        />
      )}
      {of.top.length === 0 && of.example !== undefined && (
        <p className="mute">
          No value comes twice. One of them is <code className="cut">{of.example.json}</code>.
        </p>
      )}
      {creates && (
        <div className="row">
          <Link
            to="/indexes"
            search={{ ns, create: true, ...(set !== undefined && set !== '' && { set }), ...index }}
            className="btn small"
          >
            {path === undefined ? 'Index this bin' : 'Index this path'}
          </Link>
        </div>
      )}
    </div>
  )
}
