import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { indexesQuery } from '../../api/indexes'
import { jobsOfKindQuery } from '../../api/queries'
import { setsQuery } from '../../api/sets'
import type { Namespace } from '../../api/types'
import { useMay } from '../../api/use-may'
import { isOpen } from '../../components/namespaces/namespace-states'
import { Card } from '../../ui/Card'
import { Icon } from '../../ui/Icon'
import { firstSteps } from './first-steps'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** The steps from an empty server to a query, until all are done. */
export function FirstRun({ namespaces }: { namespaces: Namespace[] | undefined }) {
  const first = (namespaces ?? [])
    .filter(isOpen)
    .toSorted((a, b) => b.records - a.records)
    .slice(0, 4)
  const sets = useQueries({ queries: first.map(({ name }) => setsQuery(name)) })
  const indexes = useQueries({ queries: first.map(({ name }) => indexesQuery(name)) })
  const jobs = useQuery(jobsOfKindQuery('query', 1))
  const may = useMay()
  const loading =
    namespaces === undefined || jobs.data === undefined || [...sets, ...indexes].some(({ isPending }) => isPending)
  // A namespace that is not open may already have what the steps create.
  if (loading || !namespaces.every(isOpen)) return null
  const facts = {
    namespaces,
    sets: sets.flatMap(({ data }) => data?.items ?? []),
    indexes: indexes.flatMap(({ data }) => data?.items ?? []),
    jobs: jobs.data.items,
  }
  const steps = firstSteps(facts, may)
  const next = steps.find(({ done }) => !done)
  // One step alone leads nowhere.
  if (next === undefined || steps.length === 1) return null
  return (
    <Card title={t('First steps')} aside={t('each opens its page; you can do the same with curl')}>
      <ol className="steps">
        {steps.map(({ title, words, href, done }, index) => (
          <li key={title} className={done ? 'done' : href === next.href ? 'next' : undefined}>
            <span className="mark">
              {done ? (
                <>
                  <Say text="{icon} done" values={{ icon: <Icon name="check" /> }} />
                </>
              ) : (
                t('step {index}', { index: index + 1 })
              )}
            </span>
            <Link
              to={href}
              {...(first[0] !== undefined &&
                href !== '/namespaces/new' &&
                href !== '/namespaces/$ns/sets' && { search: { ns: first[0].name } })}
              params={{ ns: first[0]?.name ?? '' }}
            >
              <strong>{title}</strong>
            </Link>
            <span className="mute small">{words}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
