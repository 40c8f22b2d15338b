import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { profileQuery } from '../../../api/profile'
import { useSetChoices } from '../../../components/fields/use-set-choices'
import { count, duration } from '../../../format'
import { inPlace } from '../../../search'
import { DataTable } from '../../../table/DataTable'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { SmallSelect } from '../../../ui/inputs'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { useNamespace } from '../detail/use-namespace'
import { lifeBars, sizeBars } from './bars'
import { binColumns } from './bin-columns'
import { BinDetails } from './BinDetails'
import { Histogram } from './Histogram'
import { gapWords, sampleWords } from './profile-words'
import { SAMPLE_DEFAULT, sampleSizes, type SchemaSearch } from './search'
import { t } from '../../../language/text'

/** No set has this name, because it is longer than a name may be. */
const ALL = '*'.repeat(64)
/** Bins from which on only those in view are drawn. */
const LONG = 60

const sizeChoices = sampleSizes.map((size) => ({
  value: String(size),
  label: t('{value} records', { value: count(size) }),
}))

/** What the records of a set look like, from a sample: each bin with its types, values and paths. */
export function SchemaTab() {
  const { name: ns } = useNamespace()
  const { set, sample = SAMPLE_DEFAULT, seed = 0, bin } = useSearch({ from: '/namespaces/$ns/schema' })
  const navigate = useNavigate({ from: '/namespaces/$ns/schema' })
  const put = (next: SchemaSearch): void => void navigate({ search: (old) => ({ ...old, ...next }), ...inPlace })
  const { choices, search } = useSetChoices({
    ns,
    value: set ?? ALL,
    others: [{ value: ALL, label: t('all sets') }],
    withoutSet: 'present',
  })
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(profileQuery({ ns, set, sample, seed }))
  const sampled = data !== undefined && data.sample.method !== 'all'
  const columns = useMemo(() => {
    const open = (name: string): void => void navigate({ search: (old) => ({ ...old, bin: name }), ...inPlace })
    return binColumns(open, sampled)
  }, [navigate, sampled])
  const opened = data?.bins.find(({ name }) => name === bin)
  const again = (): void => (sampled ? put({ seed: seed + 1 }) : void refetch())
  return (
    <>
      <Card
        title={t('Schema')}
        aside={t('as a sample of the records shows it')}
        end={
          <>
            <SmallSelect
              label={t('Set')}
              value={set ?? ALL}
              choices={choices}
              search={search}
              onChange={(next) => put({ set: next === ALL ? undefined : next, bin: undefined })}
            />
            <SmallSelect
              label={t('Size of the sample')}
              value={String(sample)}
              choices={sizeChoices}
              onChange={(next) => put({ sample: sampleSizes.find((size) => String(size) === next) })}
            />
            <Button small busy={isFetching} onClick={again}>
              {sampled ? t('Take other records') : t('Read again')}
            </Button>
          </>
        }
        flush={data !== undefined && data.bins.length > 0}
      >
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton lines={6} height={22} />}
        {data !== undefined && (
          <p className="mute pad" role="status">
            {t('{sample} It took {elapsedMs}.', {
              sample: sampleWords(data.sample),
              elapsedMs: duration(data.sample.elapsedMs / 1000),
            })}
          </p>
        )}
        {data !== undefined &&
          gapWords(data).map((sentence) => (
            <p key={sentence} className="warn pad">
              {sentence}
            </p>
          ))}
        {data !== undefined && data.bins.length === 0 && (
          <Empty title={t('No bins')}>{t('The sample has no record with a bin.')}</Empty>
        )}
        {data !== undefined && data.bins.length > 0 && (
          <div className={isPlaceholderData ? 'dimmed' : undefined}>
            <DataTable
              label={t('Bins of {ns}', { ns })}
              list="schema"
              noun={(n) => t('{n, plural, one {# bin} other {# bins}}', { n })}
              columns={columns}
              rows={data.bins}
              keyOf={({ name }) => name}
              long={data.bins.length > LONG}
            />
          </div>
        )}
      </Card>
      {opened !== undefined && (
        <BinDetails
          key={opened.name}
          ns={ns}
          set={set}
          bin={opened}
          sampled={sampled}
          onClose={() => put({ bin: undefined })}
        />
      )}
      {data !== undefined && data.sample.records > 0 && (
        <div className="grid-2">
          <Card title={t('Sizes of records')} aside={t('of the sample, as stored, header included')}>
            <Histogram label={t('Sizes of records')} bars={sizeBars(data.sizes)} />
          </Card>
          <Card title={t('Times to live')} aside={t('of the sample, until records expire')}>
            <Histogram label={t('Times to live')} bars={lifeBars(data.lives)} />
          </Card>
        </div>
      )}
    </>
  )
}
