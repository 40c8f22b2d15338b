import type { PageKindUse, PagesReport } from '../../../api/types'
import { bytes, count, share, shortCount } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { Empty } from '../../../ui/Empty'
import { hitRatio, readsSince } from './reads'
import { kindWords } from './page-map'
import { t } from '../../../language/text'

interface Props {
  report: PagesReport
  before: PagesReport | undefined
}

/** Hit ratio of the cache by kind of page, since the namespace was opened and now. */
export function CacheTable({ report, before }: Props) {
  const { cache, pageBytes } = report
  const now = (use: PageKindUse): string => {
    if (before === undefined) return '–'
    const { hits, misses } = readsSince(use, before)
    return ratioText(hits, misses)
  }
  return (
    <Card
      title={t('Cache by kind of page')}
      aside={t('{used} of {frames, plural, one {# page} other {# pages}}', {
        used: count(cache.used),
        frames: cache.frames,
      })}
      flush
    >
      {cache.kinds.length === 0 ? (
        <Empty title={t('No pages read yet')} />
      ) : (
        <DataTable
          label={t('Cache by kind of page')}
          rows={cache.kinds}
          keyOf={({ kind }) => kind}
          columns={[
            { name: 'kind', label: t('kind'), sort: ({ kind }) => kind, cell: ({ kind }) => kindWords(kind) },
            {
              name: 'in the cache',
              label: t('in the cache'),
              right: true,
              sort: ({ cached }) => cached,
              cell: ({ cached }) => `${bytes(cached * pageBytes)} · ${share(cached / Math.max(1, cache.used))}`,
            },
            {
              name: 'hits',
              label: t('hits'),
              right: true,
              sort: ({ hits }) => hits,
              cell: ({ hits }) => shortCount(hits),
            },
            {
              name: 'misses',
              label: t('misses'),
              right: true,
              sort: ({ misses }) => misses,
              cell: ({ misses }) => shortCount(misses),
            },
            {
              name: 'hit ratio',
              label: t('hit ratio'),
              right: true,
              sort: ({ hits, misses }) => hitRatio(hits, misses) || 0,
              cell: ({ hits, misses }) => ratioText(hits, misses),
            },
            { name: 'now', label: t('now'), right: true, cell: now },
          ]}
        />
      )}
    </Card>
  )
}

function ratioText(hits: number, misses: number): string {
  return hits + misses === 0 ? t('no reads') : share(hitRatio(hits, misses))
}
