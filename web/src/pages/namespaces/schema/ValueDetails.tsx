import { Link } from '@tanstack/react-router'
import type { BinProfile, PathProfile } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { count } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import type { ColumnDef } from '../../../table/column'
import { indexOf, type PlaceOf, whereOf } from './links'
import { distinctWords, equalWords, percent } from './profile-words'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { Tip } from '../../../ui/Tip'

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
      label: t('value'),
      cell: ({ json, cut }) => (
        <Tip cut text={json}>
          <code className="cut">{cut ? `${json} …` : json}</code>
        </Tip>
      ),
    },
    {
      name: 'share',
      label: t('share'),
      right: true,
      sort: ({ count: found }) => found,
      cell: ({ share }) => percent(share),
    },
    {
      name: 'in the sample',
      label: t('in the sample'),
      low: 1,
      right: true,
      cell: ({ count: found }) => count(found),
    },
    {
      name: 'actions',
      label: t('actions'),
      actions: true,
      cell: (top) => {
        const where = whereOf(place, top)
        return (
          where !== undefined && (
            <Link to="/query" search={{ ns, set, where }} className="btn small">
              {t('Find records')}
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
          label={
            path === undefined
              ? t('Most frequent values of {bin}', { bin })
              : t('Most frequent values of {bin} at {path}', { bin, path })
          }
          columns={columns}
          rows={of.top}
          keyOf={({ json }) => json}
        />
      )}
      {of.top.length === 0 && of.example !== undefined && (
        <p className="mute">
          <Say
            text="No value comes twice. One of them is <code>{json}</code>."
            values={{ code: (parts) => <code className="cut">{parts}</code>, json: of.example.json }}
          />
        </p>
      )}
      {creates && (
        <div className="row">
          <Link
            to="/indexes"
            search={{ ns, create: true, ...(set !== undefined && set !== '' && { set }), ...index }}
            className="btn small"
          >
            {path === undefined ? t('Index this bin') : t('Index this path')}
          </Link>
        </div>
      )}
    </div>
  )
}
